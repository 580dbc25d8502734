/**
 * Cuts the build context out of an upload: finds the context folder and the Dockerfile in its tree, and decides under which
 * name each entry goes to the engine. Pure; paths are followed inside the tree only (resolve.ts), never on a disk.
 */
import { ProblemError } from '../../specs/problem.ts';
import { quoteName } from './refusal.ts';
import type { AcceptedEntry } from './tar/policy.ts';
import { resolve, type Place } from './tar/resolve.ts';
import { rootNode, type Tree } from './tar/tree.ts';

export interface ContextPaths {
  /** The folder inside the upload that becomes the context's root; `.` for all of it. */
  contextPath: string;
  /** Path of the Dockerfile inside the upload; it may lie outside the context. */
  dockerfilePath: string;
}

export interface ContextPlan {
  /** Path of the Dockerfile as the engine has to be told. */
  dockerfile: string;
  /** The entry as it goes to the engine, or undefined when it stays behind. */
  place: (entry: AcceptedEntry) => AcceptedEntry | undefined;
}

/**
 * Throws ProblemError `invalid` when there is no such folder or Dockerfile.
 * @param source what the tree is of, as messages call it
 */
export function planContext(
  tree: Tree,
  paths: ContextPaths,
  source: 'upload' | 'repository' = 'upload',
): ContextPlan {
  const folder = find(tree, paths.contextPath, 'context_path', source);
  const file = find(tree, paths.dockerfilePath, 'dockerfile_path', source);
  const prefix = folder.names.map((name) => `${name}/`).join('');
  /** Files outside the context that have to be in it: path in the upload → path in the context. */
  const brought = new Map<string, string>();
  const locate = (): string => {
    const named = file.names.join('/');
    if (named.startsWith(prefix)) return named.slice(prefix.length);
    const shared = tree.sharedWith(file.node?.id ?? rootNode.id) ?? named;
    if (shared.startsWith(prefix)) return shared.slice(prefix.length);
    const free = freeName(tree, folder.node?.id ?? rootNode.id);
    brought.set(shared, free);
    return free;
  };
  const dockerfile = locate();
  for (const link of tree.hardlinks()) {
    const lost = link.path.startsWith(prefix) && !link.target.startsWith(prefix);
    if (lost && !brought.has(link.target)) brought.set(link.target, link.path.slice(prefix.length));
  }
  return { dockerfile, place: placer(prefix, brought) };
}

/** A function of its own, so that the plan keeps no tree in memory while the context streams. */
function placer(prefix: string, brought: ReadonlyMap<string, string>): ContextPlan['place'] {
  return (entry) => {
    if (!entry.path.startsWith(prefix)) {
      const path = brought.get(entry.path);
      return path === undefined ? undefined : { ...entry, path };
    }
    const path = entry.path.slice(prefix.length);
    if (entry.kind !== 'hardlink') return { ...entry, path };
    if (entry.target.startsWith(prefix)) return { ...entry, path, target: entry.target.slice(prefix.length) };
    const target = brought.get(entry.target) ?? '';
    // The first of several links to a file outside took over the file itself.
    return target === path ? undefined : { ...entry, path, target };
  };
}

type Field = 'context_path' | 'dockerfile_path';

function find(tree: Tree, path: string, field: Field, source: 'upload' | 'repository'): Place {
  const [what, kind] = field === 'context_path' ? ['context folder', 'directory'] : ['Dockerfile', 'file'];
  const fail = (message: string): ProblemError =>
    new ProblemError('invalid', message, { errors: [{ path: `/${field}`, message }] });
  if (path.startsWith('/'))
    throw fail(`The ${what} ${quoteName(path)} is an absolute path: give it relative to the ${source}.`);
  const found = resolve(tree, [], path, () => undefined);
  if (found.outcome === 'outside') throw fail(`The ${what} ${quoteName(path)} lies outside the ${source}.`);
  if (found.outcome !== 'place' || found.place.node === undefined) {
    const check =
      source === 'upload' ? 'the path, .gitignore and .dockerignore' : 'the path and .dockerignore';
    throw fail(`There is no ${what} ${quoteName(path)} in the ${source}: check ${check}.`);
  }
  if (found.place.node.kind !== kind) {
    throw fail(
      `The ${what} ${quoteName(path)} is ${kind === 'file' ? 'a folder' : 'no folder'} in the ${source}.`,
    );
  }
  return found.place;
}

/** A name at the context's root that no entry has. */
function freeName(tree: Tree, directory: number): string {
  for (let n = 0; ; n++) {
    const name = n === 0 ? '.svc.Dockerfile' : `.svc.Dockerfile.${n}`;
    if (tree.child(directory, name) === undefined) return name;
  }
}
