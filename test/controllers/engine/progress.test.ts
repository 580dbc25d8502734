import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ProgressFailure, progressEvents } from '../../../controllers/engine/progress.ts';

async function* chunks(...texts: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

const read = (...texts: (string | Buffer)[]) => Array.fromAsync(progressEvents(chunks(...texts)));

describe('progressEvents', () => {
  it('reads an event per line, wherever the bytes are cut', async () => {
    const bytes = Buffer.from('{"status":"é✓"}\r\n\r\n{"status":"done"}\n');
    for (let at = 0; at <= bytes.length; at++)
      assert.deepEqual(await read(bytes.subarray(0, at), bytes.subarray(at)), [
        { status: 'é✓' },
        { status: 'done' },
      ]);
  });

  it('takes a last line without its end', async () => {
    assert.deepEqual(await read('{"a":1}'), [{ a: 1 }]);
  });

  for (const event of [
    '{"error":"manifest unknown"}',
    '{"errorDetail":{"message":"manifest unknown"}}',
    '{"errorDetail":{"code":1,"message":"manifest unknown"},"error":"another"}',
  ]) {
    it(`throws on ${event}`, async () => {
      await assert.rejects(
        read('{"status":"Pulling"}\n', `${event}\n`, '{"status":"done"}\n'),
        (error: unknown) => {
          assert.ok(error instanceof ProgressFailure);
          assert.equal(error.message, 'manifest unknown');
          return true;
        },
      );
    });
  }

  it('throws on an error of another shape as well', async () => {
    await assert.rejects(read('{"error":{"oh":"no"}}\n'), ProgressFailure);
  });

  for (const line of ['{"status":"x"', 'not json', '"text"', '[1]', 'null', '12']) {
    it(`throws on the line ${line}`, async () => {
      await assert.rejects(read(`${line}\r\n`, '{"status":"done"}\r\n'), { code: 'unavailable' });
    });
  }

  it('throws when it ends in the middle of an event', async () => {
    await assert.rejects(read('{"status":"a"}\n{"sta'), { code: 'unavailable' });
  });
});
