import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeName, extend, override } from '../../../../controllers/build/tar/extensions.ts';
import { readHeader } from '../../../../controllers/build/tar/headers.ts';
import { paxRecord, rawHeader } from '../../../support/archives.ts';

const pax = (...records: [string, string][]) =>
  extend({}, 'x', Buffer.from(records.map(([key, value]) => paxRecord(key, value)).join('')));

describe('extend', () => {
  it('reads what PAX may replace and passes over the rest', () => {
    const overrides = pax(
      ['path', 'päth'],
      ['linkpath', 'to'],
      ['size', '7'],
      ['mtime', '12.75'],
      ['SCHILY.xattr.user.a', '\0=\n'],
      ['uid', '5'],
    );
    assert.deepEqual(
      { ...overrides, name: overrides.name?.toString(), target: overrides.target?.toString() },
      { from: 'pax', name: 'päth', target: 'to', size: 7, mtime: 12 },
    );
  });

  it('takes times that make no sense for 0', () => {
    for (const mtime of ['-5', 'never', '']) assert.equal(pax(['mtime', mtime]).mtime, 0);
  });

  it('refuses malformed records', () => {
    const bodies = [
      '999 path=a',
      '5 a=b',
      '6 a=b\nx',
      '06 a=b\n',
      '5 =b\n',
      '4 a\n\n',
      'path=a\n',
      '0 \n',
      '6 a=bb\n',
      '12345678901 a=b\n',
      '-6 a=b\n',
    ];
    for (const body of bodies) assert.throws(() => extend({}, 'x', Buffer.from(body)), /malformed/, body);
  });

  it('refuses empty names, NULs, doubled records, bad sizes and sparse files', () => {
    assert.throws(() => pax(['path', '']), /empty name/);
    assert.throws(() => pax(['path', 'a\0b']), /NUL/);
    assert.throws(() => pax(['linkpath', 'a\0b']), /NUL/);
    assert.throws(() => pax(['path', 'a'], ['path', 'a']), /same thing twice/);
    for (const size of ['-1', '1e3', '', '99999999999999999', '9007199254740993']) {
      assert.throws(() => pax(['size', size]), /size that is no number/);
    }
    assert.throws(() => pax(['GNU.sparse.major', '1']), /sparse/);
  });

  it('lets a global header comment, and nothing more', () => {
    assert.deepEqual(extend({}, 'g', Buffer.from(paxRecord('comment', 'c0ffee'))), {});
    for (const key of ['path', 'linkpath']) {
      assert.throws(() => extend({}, 'g', Buffer.from(paxRecord(key, '../p'))), /global PAX header/);
    }
    assert.throws(() => extend({}, 'g', Buffer.from(paxRecord('size', '0'))), /global PAX header/);
    assert.throws(() => extend(pax(['path', 'a']), 'g', Buffer.from(paxRecord('comment', 'c'))), /no entry/);
  });

  it('reads GNU long names, with and without their NUL', () => {
    const both = extend(extend({}, 'L', Buffer.from('name\0')), 'K', Buffer.from('target'));
    assert.deepEqual([both.name?.toString(), both.target?.toString()], ['name', 'target']);
    assert.throws(() => extend({}, 'L', Buffer.from('a\0b')), /NUL inside/);
    assert.throws(() => extend({}, 'L', Buffer.from('\0')), /empty/);
  });

  it('refuses two sources for one entry', () => {
    const long = extend({}, 'L', Buffer.from('a'));
    assert.throws(() => extend(long, 'L', Buffer.from('b')), /two extension headers/);
    assert.throws(() => extend(long, 'x', Buffer.from(paxRecord('path', 'b'))), /two extension headers/);
    assert.throws(() => extend(pax(['path', 'a']), 'L', Buffer.from('b')), /two extension headers/);
    assert.throws(
      () => extend(pax(['path', 'a']), 'x', Buffer.from(paxRecord('path', 'b'))),
      /two extension headers/,
    );
  });
});

describe('override', () => {
  const header = readHeader(rawHeader({ name: 'short', size: 7 }));

  it('replaces what was said and keeps the rest', () => {
    const long = override(header, { from: 'pax', name: Buffer.from('long'), size: 7, mtime: 1 });
    assert.deepEqual([long.name.toString(), long.size, long.mtime, long.type], ['long', 7, 1, '0']);
    assert.deepEqual(override(header, {}), header);
  });

  it('refuses a second, different size', () => {
    assert.throws(() => override(header, { from: 'pax', size: 8 }), /two different sizes/);
  });
});

describe('decodeName', () => {
  it('gives text for UTF-8 and nothing for other bytes', () => {
    assert.equal(decodeName(Buffer.from('caf\u00e9')), 'café');
    assert.equal(decodeName(Buffer.from([0x63, 0xe9])), undefined);
    assert.equal(decodeName(Buffer.from([0xed, 0xa0, 0x80])), undefined);
  });
});
