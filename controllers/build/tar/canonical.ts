/**
 * Writes accepted entries as a tar of our own making (tar-stream's): the engine never sees a header that a stranger wrote.
 * Order and contents stay as they came; owner and group are root's, modes are 0644 or 0755.
 */
import { pack, type Pack } from 'tar-stream';
import type { AcceptedEntry } from './policy.ts';
import type { TarPart } from './reader.ts';

const types = { file: 'file', hardlink: 'link', symlink: 'symlink', directory: 'directory' } as const;

type Sink = ReturnType<Pack['entry']>;

/**
 * @param place the entry as it is to be written, or undefined to leave it and its content out
 * @returns the bytes of the archive; they end with the error of `parts` where those break off, and leaving them leaves `parts`
 */
export function canonicalTar(
  parts: AsyncIterable<TarPart<AcceptedEntry>>,
  place: (entry: AcceptedEntry) => AcceptedEntry | undefined,
): AsyncIterable<Buffer> {
  const tar = pack();
  write(parts, place, tar).then(
    () => tar.finalize(),
    (error: unknown) => tar.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return tar as AsyncIterable<Buffer>;
}

async function write(
  parts: AsyncIterable<TarPart<AcceptedEntry>>,
  place: (entry: AcceptedEntry) => AcceptedEntry | undefined,
  tar: Pack,
): Promise<void> {
  /** Takes the content of the entry being written; undefined while content is left out. */
  let content: Sink | undefined;
  for await (const part of parts) {
    if (tar.destroyed) return;
    if ('data' in part) {
      if (content?.write(part.data) === false) await drained(content);
      continue;
    }
    content?.end(null);
    const placed = place(part.entry);
    content = placed && tar.entry(headerOf(placed));
    // What goes wrong is the archive's to say: its reader hears of it.
    content?.on('error', () => undefined);
  }
  content?.end(null);
}

function drained(sink: Sink): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      sink.off('drain', done).off('close', done);
      resolve();
    };
    // Closed: nobody reads the archive any more.
    sink.on('drain', done).on('close', done);
  });
}

function headerOf({
  kind,
  path,
  target,
  size,
  executable,
  mtime,
}: AcceptedEntry): Parameters<Pack['entry']>[0] {
  return {
    name: kind === 'directory' ? `${path}/` : path,
    type: types[kind],
    mode: kind === 'symlink' ? 0o777 : kind === 'directory' || executable ? 0o755 : 0o644,
    mtime: new Date(mtime * 1_000),
    size: kind === 'file' ? size : 0,
    ...(target === '' ? {} : { linkname: target }),
  };
}
