/** What an archive holds, one entry after the other. */

interface Named {
  /** Relative to the root, `/` between its parts, none at either end. */
  readonly name: string;
  /** Permission bits, at most 0777. */
  readonly mode: number;
}

export interface FileEntry extends Named {
  readonly type: 'file';
  /** Bytes. */
  readonly size: number;
}

interface DirectoryEntry extends Named {
  readonly type: 'directory';
}

interface SymlinkEntry extends Named {
  readonly type: 'symlink';
  readonly target: string;
}

export type Entry = FileEntry | DirectoryEntry | SymlinkEntry;

/** Order of an archive: by the bytes of the names, so that a directory comes before what is in it. */
export function inOrder(entries: Iterable<Entry>): Entry[] {
  const list = Array.from(entries);
  // UTF-16 order is byte order as long as no name holds a surrogate.
  if (list.some(({ name }) => /[\uD800-\uDFFF]/.test(name))) {
    return list.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  }
  return list.sort((a, b) => (a.name < b.name ? -1 : 1));
}
