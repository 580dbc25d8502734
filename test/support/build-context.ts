/** Small build contexts for tests. */
import { Readable } from 'node:stream';
import { pack } from 'tar-stream';

/** @param files contents by name @returns an uncompressed tar */
export function contextOf(files: Readonly<Record<string, string | Buffer>>): Readable {
  const tar = pack();
  for (const [name, content] of Object.entries(files)) tar.entry({ name, mtime: new Date(0) }, content);
  tar.finalize();
  return Readable.from(tar, { objectMode: false });
}
