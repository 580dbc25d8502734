import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LineSplitter } from '../../../controllers/engine/lines.ts';

/** Cuts bytes at these places (as shares of the length). */
function cut(bytes: Buffer, shares: readonly number[]): Buffer[] {
  const places = [...new Set(shares.map((share) => Math.floor(share * bytes.length)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index]));
}

describe('LineSplitter', () => {
  it('gives the same lines wherever the bytes are cut', () => {
    const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll(/[\r\n]/g, ''));
    const share = fc.double({ min: 0, max: 0.999, noNaN: true });
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), fc.array(share), (lines, end, shares) => {
        const bytes = Buffer.from(lines.map((text) => text + end).join(''));
        const splitter = new LineSplitter(1_000);
        const got = cut(bytes, shares).flatMap((chunk) => splitter.push(chunk));
        assert.deepEqual(
          [...got, ...splitter.flush()],
          lines.map((text) => Buffer.from(text).toString()),
        );
      }),
    );
  });

  it('keeps what comes after the last line end until it is flushed', () => {
    const splitter = new LineSplitter(100);
    assert.deepEqual(splitter.push(Buffer.from('a\nb')), ['a']);
    assert.deepEqual(splitter.push(Buffer.from('c')), []);
    assert.deepEqual(splitter.flush(), ['bc']);
    assert.deepEqual(splitter.flush(), []);
  });

  it('cuts lines that are longer than the limit, so that memory stays bounded', () => {
    const splitter = new LineSplitter(4);
    assert.deepEqual(splitter.push(Buffer.from('abcdefghij')), ['abcd', 'efgh']);
    assert.deepEqual(splitter.push(Buffer.from('\nabcd\n')), ['ij', 'abcd']);
  });
});
