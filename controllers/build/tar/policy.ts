/**
 * What an upload may contain. Pure: entry and tree in, accepted entry out. It refuses and never mends, and every refusal
 * names the entry and the rule. Nothing is ever written to a disk under a name from an archive.
 *
 * - regular files, directories, symlinks and hardlinks; no devices, FIFOs, sparse files or anything else
 * - relative paths without `..`, of printable UTF-8, of bounded length and depth; no `.git` at the root
 * - each path once; what holds entries is a directory, never a file or a link
 * - a hardlink shares an earlier regular file of the archive
 * - a symlink is relative, and wherever it leads (through other symlinks too) lies inside the archive
 */
import type { UploadLimits } from '../limits.ts';
import { quoteName, refusedEntry } from '../refusal.ts';
import { splitPath, textRule } from './paths.ts';
import type { TarEntry } from './reader.ts';
import { resolve } from './resolve.ts';
import { rootNode, type Link, type Tree, type TreeNode } from './tree.ts';

export interface AcceptedEntry {
  kind: 'file' | 'directory' | 'symlink' | 'hardlink';
  /** Relative, normal, without a slash at either end; empty for the root. */
  path: string;
  /** Of a symlink: as it is. Of a hardlink: path of the regular file that it shares. Else empty. */
  target: string;
  /** Zero but for files. */
  size: number;
  executable: boolean;
  mtime: number;
}

const kinds: Readonly<Record<string, AcceptedEntry['kind']>> = {
  '0': 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '5': 'directory',
};

const refusedTypes: Readonly<Record<string, string>> = {
  '3': 'a character device',
  '4': 'a block device',
  '6': 'a FIFO',
  S: 'a sparse file (pack without --sparse)',
};

/**
 * Admits an entry into the tree. Throws ProblemError.
 * @returns what is new by it: directories that have to be there for it, then the entry itself. So a directory comes before
 * what it holds and never twice, whatever the order of the archive; nothing for the root.
 */
export function admit(tree: Tree, entry: TarEntry, limits: UploadLimits): AcceptedEntry[] {
  const refuse: Refuse = (rule) => {
    throw refusedEntry(entry.path, rule);
  };
  const { kind, segments } = classify(entry, limits, refuse);
  const name = segments.at(-1);
  if (name === undefined) return tree.declare(rootNode.id) ? [] : refuse('is there twice');
  const { parent, made } = openParent(tree, segments, entry.mtime, refuse);
  const path = segments.join('/');
  const executable = (entry.mode & 0o111) !== 0;
  const accepted: AcceptedEntry = {
    kind,
    path,
    target: '',
    size: entry.size,
    executable,
    mtime: entry.mtime,
  };
  if (kind === 'directory') return addDirectory(tree, parent, name, refuse) ? [...made, accepted] : [];
  if (tree.child(parent, name)) return refuse('is there twice');
  const link = { path, target: entry.target };
  if (kind === 'file') tree.insert(parent, name, 'file');
  else if (kind === 'symlink') accepted.target = addSymlink(tree, parent, name, link, limits, refuse);
  else accepted.target = addHardlink(tree, parent, name, link, limits, refuse);
  return [...made, accepted];
}

/** The rules that an entry keeps or breaks by itself. */
function classify(entry: TarEntry, limits: UploadLimits, refuse: Refuse) {
  const kind = kinds[entry.type];
  if (kind === undefined) {
    const what = refusedTypes[entry.type] ?? 'of an unknown type';
    return refuse(`is ${what}; only files, folders and links may be uploaded`);
  }
  const split = splitPath(entry.path, limits);
  if ('rule' in split) return refuse(split.rule);
  if (kind !== 'directory' && (split.segments.length === 0 || entry.path.endsWith('/'))) {
    return refuse('has the name of a folder but is none');
  }
  if (kind !== 'file' && entry.size > 0) return refuse('has content although it is no file');
  return { kind, segments: split.segments };
}

type Refuse = (rule: string) => never;

/** The directory that an entry goes into; directories on the way come to be, as with every tar reader. */
function openParent(tree: Tree, segments: readonly string[], mtime: number, refuse: Refuse) {
  const made: AcceptedEntry[] = [];
  let at: TreeNode = rootNode;
  for (const [index, name] of segments.slice(0, -1).entries()) {
    const there = tree.child(at.id, name);
    if (there && there.kind !== 'directory')
      refuse(`lies below ${quoteName(name)}, which is a ${there.kind}`);
    at = there ?? tree.insert(at.id, name, 'directory');
    const path = segments.slice(0, index + 1).join('/');
    if (!there) made.push({ kind: 'directory', path, target: '', size: 0, executable: false, mtime });
  }
  return { parent: at.id, made };
}

/** @returns false if it is there already because something lies below it */
function addDirectory(tree: Tree, parent: number, name: string, refuse: Refuse): boolean {
  const there = tree.child(parent, name);
  const node = there ?? tree.insert(parent, name, 'directory');
  if (node.kind !== 'directory' || !tree.declare(node.id)) refuse('is there twice');
  return there === undefined;
}

function addSymlink(
  tree: Tree,
  parent: number,
  name: string,
  link: Link,
  limits: UploadLimits,
  refuse: Refuse,
): string {
  if (link.target === '') refuse('is a symlink to nothing');
  const rule = textRule(link.target, limits);
  if (rule !== undefined) refuse(rule);
  if (link.target.startsWith('/') || /^[A-Za-z]:/.test(link.target)) {
    refuse('is a symlink with an absolute target; make it relative, and inside the upload');
  }
  tree.addSymlink(tree.insert(parent, name, 'symlink').id, link);
  return link.target;
}

function addHardlink(
  tree: Tree,
  parent: number,
  name: string,
  link: Link,
  limits: UploadLimits,
  refuse: Refuse,
): string {
  const split = splitPath(link.target, limits);
  if ('rule' in split) return refuse(`is a hardlink to a path that ${split.rule}`);
  let at: TreeNode | undefined = rootNode;
  for (const segment of split.segments)
    at = at?.kind === 'directory' ? tree.child(at.id, segment) : undefined;
  if (at?.kind !== 'file') return refuse('is a hardlink to something that is no earlier file of the archive');
  const target = tree.sharedWith(at.id) ?? split.segments.join('/');
  tree.addHardlink(tree.insert(parent, name, 'file').id, { path: link.path, target });
  return target;
}

/** Once the whole tree is there: wherever this symlink leads has to lie inside. `count` as for {@link resolve}. */
export function checkSymlink(tree: Tree, link: Link, count: (steps: number) => void): void {
  const directory = link.path.split('/').slice(0, -1);
  const { outcome } = resolve(tree, directory, link.target, count);
  if (outcome === 'outside') throw refusedEntry(link.path, 'is a symlink that leaves the upload');
  if (outcome === 'tangled') throw refusedEntry(link.path, 'is a symlink through too many other symlinks');
}
