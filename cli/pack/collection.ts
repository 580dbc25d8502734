/** Gathers the entries of an archive: looks at each path, brings its parent directories along, refuses what no server takes. */
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import type { Entry } from './entry.ts';
import { inOrder } from './entry.ts';
import { PackError } from './error.ts';
import { leavesRoot } from './symlink.ts';

export interface Collection {
  /** Takes a path (relative to the root) and the directories above it. What vanished meanwhile is left out. */
  add(name: string): void;
  /**
   * @returns all entries in the order of the archive
   * @throws PackError where a symbolic link leads out of the root
   */
  finish(): Entry[];
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const hint = 'Make it readable, or list it in .dockerignore.';
    throw new PackError(`Cannot look at ${path}: ${String(error)}`, hint, { cause: error });
  }
}

function kindOf(stats: Stats): string {
  if (stats.isSocket()) return 'socket';
  return stats.isFIFO() ? 'named pipe' : 'device';
}

function entryOf(path: string, name: string, stats: Stats): Entry | undefined {
  const mode = stats.mode & 0o777;
  if (stats.isFile()) return { type: 'file', name, mode, size: stats.size };
  if (stats.isDirectory()) return { type: 'directory', name, mode };
  // The permissions of a link mean nothing and differ between systems.
  if (stats.isSymbolicLink()) return { type: 'symlink', name, mode: 0o777, target: readlinkSync(path) };
  return undefined;
}

function refuseEscapes(root: string, entries: ReadonlyMap<string, Entry>): void {
  const found: string[] = [];
  for (const entry of entries.values()) {
    if (entry.type === 'symlink' && leavesRoot(entry.name, entry.target, entries))
      found.push(`${entry.name} -> ${entry.target}`);
  }
  if (found.length === 0) return;
  const more = found.length > 3 ? ` and ${found.length - 3} more` : '';
  throw new PackError(
    `Symbolic links lead out of ${root}: ${found.slice(0, 3).join(', ')}${more}.`,
    'Point them inside with a relative path, replace them with what they stand for, or list them in .dockerignore.',
  );
}

/** @param warn called for each thing that no archive can hold */
export function collection(root: string, warn: (message: string) => void): Collection {
  const entries = new Map<string, Entry>();
  const add = (name: string): void => {
    if (entries.has(name) || name === '.') return;
    if (name.includes('\uFFFD')) {
      throw new PackError(
        `The name of ${name} is not valid UTF-8.`,
        'Rename it, or list its directory in .dockerignore.',
      );
    }
    const path = `${root}/${name}`;
    const stats = look(path);
    if (!stats) return;
    const entry = entryOf(path, name, stats);
    if (!entry) {
      warn(`Left out ${name}: a ${kindOf(stats)} cannot be pushed.`);
      return;
    }
    const slash = name.lastIndexOf('/');
    if (slash > 0) add(name.slice(0, slash));
    entries.set(name, entry);
  };
  return {
    add,
    finish() {
      refuseEscapes(root, entries);
      return inOrder(entries.values());
    },
  };
}
