/** Writes one upload of a kind to standard output, made on the fly. A process of its own, so that only its reader is measured. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { zstdCompressSync } from 'node:zlib';
import { inPieces, rawEnd, rawHeader } from './archives.ts';

const MiB = 2 ** 20;
const [kind = ''] = process.argv.slice(2);

const noise = zstdCompressSync(randomBytes(MiB));

const bodies: Record<string, () => Iterable<Buffer>> = {
  *'2 GiB'() {
    yield zstdCompressSync(rawHeader({ name: 'noise', size: 2048 * MiB }));
    for (let i = 0; i < 2048; i++) yield* inPieces(noise, 65_536);
    yield zstdCompressSync(rawEnd);
  },
  *bomb() {
    yield* inPieces(readFileSync(new URL('../corpora/zstd/rle-bomb-5gb.zst', import.meta.url)), 65_536);
  },
  *'bomb in a tar'() {
    yield zstdCompressSync(rawHeader({ name: 'zeros', size: 4096 * MiB }));
    const zeros = zstdCompressSync(Buffer.alloc(16 * MiB));
    for (let i = 0; i < 256; i++) yield zeros;
    yield zstdCompressSync(rawEnd);
  },
  *'many entries'() {
    for (let folder = 0; folder < 300; folder++) {
      const headers = Array.from({ length: 480 }, (_, file) =>
        Buffer.concat([
          rawHeader({ name: `packages/folder-${folder}/source/a-file-of-some-name-${file}.tsx`, size: 512 }),
          randomBytes(512),
        ]),
      );
      yield* inPieces(zstdCompressSync(Buffer.concat(headers)), 65_536);
    }
    yield zstdCompressSync(rawEnd);
  },
};

await pipeline(Readable.from(bodies[kind]?.() ?? []), process.stdout).catch((error: unknown) => {
  // A refusal closes the pipe.
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
});
