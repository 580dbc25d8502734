/** Small build contexts for tests, and what becomes of them. */
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import { EngineError } from '../../controllers/engine/engine.ts';

/** @param files contents by name @returns an uncompressed tar */
export function contextOf(files: Readonly<Record<string, string | Buffer>>): Readable {
  const tar = pack();
  for (const [name, content] of Object.entries(files)) tar.entry({ name, mtime: new Date(0) }, content);
  tar.finalize();
  return Readable.from(tar, { objectMode: false });
}

/** Reads a build context to its end, as an engine does. Throws EngineError (refused) when it breaks off. */
export async function drain(context: NodeJS.ReadableStream): Promise<void> {
  await pipeline(context, new Writable({ write: (_chunk, _encoding, done) => done() })).catch(
    (error: unknown) => {
      throw new EngineError('refused', 'The build context broke off: push again', error);
    },
  );
}
