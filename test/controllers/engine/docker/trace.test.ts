import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { EngineError } from '../../../../controllers/engine/engine.ts';
import { decodeTrace } from '../../../../controllers/engine/docker/trace.ts';

/** A field as Protocol Buffers encode it. */
function field(number: number, value: number | string | Buffer): Buffer {
  if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)]);
  const bytes = Buffer.from(value);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value >= 0x80; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80);
  return Buffer.from([...bytes, value]);
}

const vertex = Buffer.concat([
  field(1, 'sha256:a'),
  field(2, 'sha256:input'),
  field(3, '[2/2] RUN hellø'),
  field(4, 1),
  field(5, field(1, 1_795_243_772)),
  field(6, field(1, 1_795_243_773)),
  field(7, 'exit code: 3'),
]);
const log = Buffer.concat([
  field(1, 'sha256:a'),
  field(2, field(1, 1)),
  field(3, 2),
  field(4, Buffer.from([0xc3, 0xff, 0x0a])),
]);

describe('decodeTrace', () => {
  it('reads steps and output, bytes as they are', () => {
    assert.deepEqual(decodeTrace(Buffer.concat([field(1, vertex), field(3, log)])), {
      vertexes: [
        {
          digest: 'sha256:a',
          name: '[2/2] RUN hellø',
          cached: true,
          started: true,
          completed: true,
          error: 'exit code: 3',
        },
      ],
      logs: [{ vertex: 'sha256:a', stream: 'stderr', output: Buffer.from([0xc3, 0xff, 0x0a]) }],
    });
  });

  it('passes over what it does not know, of every wire type', () => {
    const unknown = [
      field(99, 2 ** 40),
      field(98, 'text'),
      Buffer.from([0xa1, 6, ...Buffer.alloc(8)]),
      Buffer.from([0xa5, 6, ...Buffer.alloc(4)]),
    ];
    assert.deepEqual(decodeTrace(Buffer.concat(unknown)), { vertexes: [], logs: [] });
  });

  it('rejects a message that was cut off', () => {
    const whole = field(1, vertex);
    for (let length = 1; length < whole.length; length++)
      assert.throws(() => decodeTrace(whole.subarray(0, length)), EngineError);
  });

  it('either reads or rejects any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          decodeTrace(Buffer.from(bytes));
        } catch (error) {
          assert.ok(error instanceof EngineError);
        }
      }),
    );
  });
});
