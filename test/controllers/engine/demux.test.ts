import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { frames } from '../../../controllers/engine/demux.ts';

function frame(stream: number, payload: string): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(payload), 4);
  return Buffer.concat([header, Buffer.from(payload)]);
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

const read = async (chunks: AsyncIterable<Buffer>) =>
  Array.fromAsync(frames(chunks), ({ stream, payload }) => `${stream} ${payload.toString()}`);

describe('frames', () => {
  it('takes them apart wherever the bytes are cut', async () => {
    const bytes = Buffer.concat([frame(1, 'one\n'), frame(2, 'zwei é\n'), frame(1, ''), frame(0, 'three')]);
    for (let size = 1; size <= bytes.length; size++)
      assert.deepEqual(await read(inPieces(bytes, size)), [
        'stdout one\n',
        'stderr zwei é\n',
        'stdout ',
        'stdout three',
      ]);
  });

  it('ends with the stream', async () => {
    assert.deepEqual(await read(inPieces(Buffer.alloc(0), 1)), []);
  });

  const huge = Buffer.alloc(8);
  huge[0] = 1;
  huge.writeUInt32BE(0xffffffff, 4);
  for (const [name, bytes] of [
    ['ends inside a header', frame(1, 'x').subarray(0, 5)],
    ['ends inside a payload', frame(1, 'four').subarray(0, 10)],
    ['has an unknown stream', frame(3, 'x')],
    ['is not framed', Buffer.from('plain text of a terminal\n')],
    ['announces 4 GiB', huge],
  ] as const) {
    it(`throws when it ${name}`, async () => {
      await assert.rejects(read(inPieces(bytes, 64)), { code: 'unavailable' });
    });
  }

  it('does not read ahead of a slow reader', async () => {
    const source = new PassThrough({ highWaterMark: 1_024 });
    const reading = frames(source);
    for (let count = 0; count < 200; count++) source.write(frame(1, 'x'.repeat(1_000)));
    await reading.next();
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    assert.ok(source.writableLength > 150_000, 'what nobody asked for stays at the sender');
    await reading.return(undefined);
    assert.equal(source.destroyed, true);
  });
});
