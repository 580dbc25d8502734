import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Frames } from '../../../ingress/worker/frames.ts';

/** A frame as RFC 6455, 5.2, has it. */
function frame(opcode: number, size: number, masked: boolean): Buffer {
  const mask = masked ? 0x80 : 0;
  const length =
    size < 126
      ? Buffer.from([mask | size])
      : size < 65_536
        ? Buffer.from([mask | 126, size >> 8, size & 255])
        : Buffer.concat([Buffer.from([mask | 127]), bigEndian(size)]);
  // The payload looks like heads of frames.
  return Buffer.concat([Buffer.from([0x80 | opcode]), length, Buffer.alloc(size + (masked ? 4 : 0), 0x88)]);
}

function bigEndian(size: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(size));
  return bytes;
}

const aFrame = fc.record({
  opcode: fc.constantFrom(0, 1, 2, 9, 10),
  size: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constantFrom(125, 126, 65_535, 65_536)),
  masked: fc.boolean(),
});

test('boundaries are where frames end, however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(aFrame, { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1 }),
      (described, cuts) => {
        const parts = described.map(({ opcode, size, masked }) => frame(opcode, size, masked));
        const bytes = Buffer.concat(parts);
        const ends = new Set([0]);
        for (const part of parts) ends.add(Math.max(...ends) + part.length);
        const frames = new Frames();
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const next = Math.min(bytes.length, at + (cuts[turn % cuts.length] ?? 1));
          frames.follow(bytes.subarray(at, next));
          at = next;
          assert.equal(frames.atBoundary, ends.has(at), `at ${at}`);
        }
        assert.equal(frames.closed, false);
      },
    ),
    { numRuns: 200 },
  );
});

test('the rest of the frame under way is found in what comes next', () => {
  const [first, second] = [frame(1, 1_000, false), frame(1, 10, false)];
  const frames = new Frames();
  frames.follow(first.subarray(0, 3));
  const rest = Buffer.concat([first.subarray(3), second]);
  assert.equal(frames.toBoundary(rest), first.length - 3);
  assert.equal(frames.atBoundary, true);
});

test('a close frame is seen, one that a payload only looks like is not', () => {
  const frames = new Frames();
  frames.follow(frame(1, 50, false));
  assert.equal(frames.closed, false);
  frames.follow(frame(8, 2, true));
  assert.equal(frames.closed, true);
});

test('a length that nobody can send has no boundary', () => {
  const frames = new Frames();
  frames.follow(Buffer.from([0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255]));
  frames.follow(Buffer.alloc(1024 * 1024));
  assert.equal(frames.atBoundary, false);
});
