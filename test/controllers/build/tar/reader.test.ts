import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { defaultLimits } from '../../../../controllers/build/limits.ts';
import { createTarReader } from '../../../../controllers/build/tar/reader.ts';
import {
  inPieces,
  packTar,
  paxRecord,
  rawBody,
  rawEnd,
  rawEntry,
  rawHeader,
} from '../../../support/archives.ts';

/** Entries as `path=content`. */
function readAll(tar: Buffer, chunk = 512): string[] {
  const reader = createTarReader(defaultLimits);
  const entries: string[] = [];
  for (const piece of inPieces(tar, chunk)) {
    for (const part of reader.push(piece)) {
      if ('entry' in part) entries.push(`${part.entry.path}=`);
      else entries.push(`${entries.pop() ?? ''}${part.data.toString('latin1')}`);
    }
  }
  reader.end();
  return entries;
}

const long = `${'deep/'.repeat(40)}name`;

describe('tar reader', () => {
  it('reads entries with long names and contents, however the stream is cut', async () => {
    const tar = await packTar([
      { name: 'a', content: 'A'.repeat(513) },
      { name: 'empty', content: '' },
      { name: long, content: 'L' },
      { name: 'dir/', type: 'directory' },
    ]);
    const expected = [`a=${'A'.repeat(513)}`, 'empty=', `${long}=L`, 'dir/='];
    fc.assert(
      fc.property(fc.integer({ min: 1, max: tar.length }), (chunk) =>
        assert.deepEqual(readAll(tar, chunk), expected),
      ),
    );
  });

  it('refuses an archive that is cut anywhere before its second zero block', async () => {
    const tar = await packTar([
      { name: 'a', content: 'A'.repeat(600) },
      { name: long, content: 'L' },
    ]);
    for (let length = 0; length < tar.length; length++) {
      assert.throws(
        () => readAll(tar.subarray(0, length), 4096),
        { code: 'bad_request' },
        `accepted ${length} of ${tar.length}`,
      );
    }
  });

  it('names the last good entry when the rest cannot be read', () => {
    const tar = Buffer.concat([
      rawEntry({ name: 'good' }, 'x'),
      rawEntry({ name: 'bad', magic: 'nonsense' }),
      rawEnd,
    ]);
    assert.throws(() => readAll(tar), /no known format \(the last entry was "good"\)/);
  });

  it('allows zeros after the end and nothing else', () => {
    const entry = rawEntry({ name: 'a' }, 'x');
    for (const zeros of [0, 512, 10_240])
      assert.deepEqual(readAll(Buffer.concat([entry, rawEnd, Buffer.alloc(zeros)])), ['a=x']);
    assert.throws(() => readAll(Buffer.concat([entry, rawEnd, Buffer.alloc(100)])), /ends too early/);
    for (const chunk of [512, 100_000]) {
      assert.throws(
        () => readAll(Buffer.concat([entry, rawEnd, entry, rawEnd]), chunk),
        /something follows the end/,
      );
    }
    assert.throws(
      () => readAll(Buffer.concat([entry, Buffer.alloc(512), entry, rawEnd])),
      /an entry follows the end/,
    );
  });

  it('applies an extension header to the next entry only', () => {
    const tar = Buffer.concat([
      rawEntry({ type: 'x', name: 'pax' }, paxRecord('path', 'renamed')),
      rawEntry({ name: 'one' }),
      rawEntry({ name: 'two' }),
      rawEntry({ type: 'L', name: '././@LongLink', magic: 'ustar  \0' }, 'long\0'),
      rawEntry({ name: 'three', magic: 'ustar  \0' }),
      rawEnd,
    ]);
    assert.deepEqual(readAll(tar), ['renamed=', 'two=', 'long=']);
  });

  it('refuses an extension header without an entry, and one over the limit', () => {
    const pax = rawEntry({ type: 'x' }, paxRecord('path', 'a'));
    assert.throws(() => readAll(Buffer.concat([pax, rawEnd])), /extension header has no entry/);
    const huge = Buffer.concat([rawHeader({ type: 'x', size: 2 ** 20 + 1 }), rawBody('')]);
    assert.throws(() => readAll(huge), { code: 'too_large', message: /limit: 1\.0 MiB/ });
  });

  it('refuses a file larger than anything that may be unpacked before any of it comes', () => {
    const size = Buffer.concat([Buffer.from([0x80]), Buffer.from([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0])]);
    assert.throws(() => readAll(rawHeader({ name: 'huge', size })), {
      code: 'too_large',
      message: /"huge" is larger \(limit: 8\.0 GiB\)/,
    });
  });

  it('refuses names that are not UTF-8', () => {
    assert.throws(
      () => readAll(rawHeader({ name: Buffer.from([0x63, 0xe9]) })),
      /"cé" has a name that is not UTF-8/,
    );
  });
});
