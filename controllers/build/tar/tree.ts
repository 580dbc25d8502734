/**
 * The tree that an archive describes, built entry by entry: what is a directory, a file or a link, and where links lead.
 * It keeps names and kinds, never contents, in a flat table so that a quarter of a million entries stay small.
 */
import type { UploadLimits } from '../limits.ts';
import { overBytes, overLimit } from '../refusal.ts';

type NodeKind = 'directory' | 'file' | 'symlink';

export interface TreeNode {
  id: number;
  kind: NodeKind;
}

export const rootNode: TreeNode = { id: 0, kind: 'directory' };

/** A link: the path that it stands at, and where it points. */
export interface Link {
  path: string;
  target: string;
}

export interface Tree {
  child(directory: number, name: string): TreeNode | undefined;
  /** Adds a name that is not there yet. Throws `too_large` when the tree outgrows its limits. */
  insert(directory: number, name: string, kind: NodeKind): TreeNode;
  /** Marks a directory as named by an entry of its own. @returns false if it already was */
  declare(directory: number): boolean;
  addSymlink(node: number, link: Link): void;
  addHardlink(node: number, link: Link): void;
  /** Target of a symlink. */
  targetOf(node: number): string;
  /** Path of the regular file that a hardlink shares, else undefined. */
  sharedWith(node: number): string | undefined;
  symlinks(): Iterable<Link>;
  hardlinks(): Iterable<Link>;
}

const kinds = ['directory', 'file', 'symlink'] as const;

export function createTree(limits: Pick<UploadLimits, 'entries' | 'nameBytes'>): Tree {
  /** `<id of the directory>/<name>` → id × 4 + kind: small integers, no object per entry. */
  const table = new Map<string, number>();
  const declared = new Set<number>();
  const symlinks = new Map<number, Link>();
  const hardlinks = new Map<number, Link>();
  let names = 0;

  const account = (text: string): void => {
    names += Buffer.byteLength(text);
    if (names > limits.nameBytes) throw overBytes('its names and link targets have more', limits.nameBytes);
  };

  return {
    child(directory, name) {
      const found = table.get(keyOf(directory, name));
      return found === undefined ? undefined : { id: found >> 2, kind: kinds[(found & 3) as 0 | 1 | 2] };
    },
    insert(directory, name, kind) {
      const id = table.size + 1;
      if (id > limits.entries) throw overLimit('it has too many entries', `${limits.entries} entries`);
      account(name);
      table.set(keyOf(directory, name), id * 4 + kinds.indexOf(kind));
      return { id, kind };
    },
    declare(directory) {
      if (declared.has(directory)) return false;
      declared.add(directory);
      return true;
    },
    addSymlink(node, link) {
      account(link.path + link.target);
      symlinks.set(node, link);
    },
    addHardlink(node, link) {
      account(link.path + link.target);
      hardlinks.set(node, link);
    },
    targetOf: (node) => symlinks.get(node)?.target ?? '',
    sharedWith: (node) => hardlinks.get(node)?.target,
    symlinks: () => symlinks.values(),
    hardlinks: () => hardlinks.values(),
  };
}

/** Joined, not concatenated: a concatenation stays in memory as the pieces it was made of. */
function keyOf(directory: number, name: string): string {
  return [directory, name].join('/');
}
