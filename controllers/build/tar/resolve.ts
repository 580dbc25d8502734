/**
 * Follows paths through the tree of an archive as a kernel would through a real one: segment by segment, through symlinks,
 * with `..` taken from where a link really leads. Nothing on a disk is touched. Pure but for counting its own work.
 */
import { rootNode, type Tree } from './tree.ts';

/** A place in the tree: the names from the root down. `node` is undefined below what the archive holds. */
export interface Place {
  names: string[];
  node: { id: number; kind: 'directory' | 'file' | 'symlink' } | undefined;
}

/**
 * `place`: this is where it leads, there or not. `outside`: it leaves the root. `loop`: it comes back to a link that it is
 * following, so nobody ever gets to its end. `tangled`: more links in a row than any system follows.
 */
export type Resolved = { outcome: 'place'; place: Place } | { outcome: 'outside' | 'loop' | 'tangled' };

/** As Linux has it (path_resolution(7)). */
const maxHops = 40;

interface Journey {
  tree: Tree;
  /** Places from the root (not included) down to where the journey stands. */
  stack: { name: string; node: Place['node'] }[];
  following: Set<number>;
  hops: number;
  count: (steps: number) => void;
}

/**
 * @param from names of the directory that a relative path starts in; it has to exist
 * @param count is told how many segments were walked, and may throw
 */
export function resolve(
  tree: Tree,
  from: readonly string[],
  path: string,
  count: (steps: number) => void,
): Resolved {
  const journey: Journey = { tree, stack: [], following: new Set(), hops: 0, count };
  const failed = walk(journey, from) ?? walk(journey, path.split('/'));
  if (failed) return { outcome: failed };
  const top = journey.stack.at(-1);
  const names = journey.stack.map((step) => step.name);
  return { outcome: 'place', place: { names, node: top ? top.node : rootNode } };
}

function walk(journey: Journey, segments: readonly string[]): 'outside' | 'loop' | 'tangled' | undefined {
  journey.count(segments.length);
  for (const name of segments) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (journey.stack.pop() === undefined) return 'outside';
      continue;
    }
    const top = journey.stack.at(-1);
    const directory = top ? top.node : rootNode;
    const node = directory?.kind === 'directory' ? journey.tree.child(directory.id, name) : undefined;
    if (node?.kind !== 'symlink') {
      journey.stack.push({ name, node });
      continue;
    }
    const failed = follow(journey, node.id);
    if (failed) return failed;
  }
  return undefined;
}

function follow(journey: Journey, link: number): 'outside' | 'loop' | 'tangled' | undefined {
  if (journey.following.has(link)) return 'loop';
  if (++journey.hops > maxHops) return 'tangled';
  journey.following.add(link);
  const failed = walk(journey, journey.tree.targetOf(link).split('/'));
  journey.following.delete(link);
  return failed;
}
