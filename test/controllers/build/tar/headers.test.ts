import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isZero, readHeader, TarFormatError } from '../../../../controllers/build/tar/headers.ts';
import { rawHeader, withChecksum } from '../../../support/archives.ts';

function edited(header: Buffer, edit: (block: Buffer) => void): Buffer {
  edit(header);
  return withChecksum(header);
}

const fails = (block: Buffer, reason: RegExp) => {
  assert.throws(
    () => readHeader(block),
    (error) => error instanceof TarFormatError && reason.test(error.message),
  );
};

describe('readHeader', () => {
  it('reads a ustar header with a prefix', () => {
    const { name, target, ...rest } = readHeader(
      rawHeader({ name: 'b', prefix: 'a', type: '2', linkname: 'c', mode: 0o755 }),
    );
    assert.deepEqual([name.toString(), target.toString()], ['a/b', 'c']);
    assert.deepEqual(rest, { type: '2', size: 0, mode: 0o755, mtime: 1_700_000_000 });
  });

  it('takes no prefix from GNU and V7 headers, and a shorter one from star', () => {
    const name = (block: Buffer) => readHeader(block).name.toString();
    assert.equal(name(rawHeader({ name: 'b', prefix: '14000000000', magic: 'ustar  \0' })), 'b');
    assert.equal(name(rawHeader({ name: 'b', prefix: 'x', magic: '' })), 'b');
    const star = edited(rawHeader({ name: 'b', prefix: 'a'.repeat(131) }), (block) => {
      block.write('14000000000 ', 476);
      block.write('tar\0', 508);
    });
    assert.equal(name(star), `${'a'.repeat(131)}/b`);
  });

  it('uses all 100 bytes of a name', () => {
    assert.equal(readHeader(rawHeader({ name: 'n'.repeat(100) })).name.length, 100);
  });

  it('reads sizes in octal and in base 256', () => {
    const big = Buffer.alloc(12);
    big.writeUInt8(0x80, 0);
    big.writeUInt32BE(0x1234, 8);
    assert.equal(readHeader(rawHeader({ size: 0o777 })).size, 0o777);
    assert.equal(readHeader(rawHeader({ size: Buffer.from('     000123 ') })).size, 0o123);
    assert.equal(readHeader(rawHeader({ size: Buffer.alloc(12) })).size, 0);
    assert.equal(readHeader(rawHeader({ size: big })).size, 0x1234);
  });

  it('refuses sizes that are negative, beyond measure or no number', () => {
    fails(rawHeader({ size: Buffer.alloc(12, 0xff) }), /negative/);
    fails(
      rawHeader({ size: Buffer.concat([Buffer.from([0x80]), Buffer.alloc(11, 0xff)]) }),
      /beyond measure/,
    );
    for (const text of [
      '9999999zzzz\0',
      '-0000000001\0',
      '0x000000001\0',
      '00000 00001\0',
      '0000000\u00001234',
    ]) {
      fails(rawHeader({ size: Buffer.from(text) }), /size that is no number/);
    }
  });

  it('refuses a wrong checksum and unknown magic', () => {
    const block = rawHeader({ name: 'a' });
    block.write('b', 0);
    fails(block, /wrong checksum/);
    fails(rawHeader({ magic: 'PaX   00' }), /no known format/);
  });

  it('refuses bytes behind the NUL of a name, target or prefix', () => {
    fails(rawHeader({ name: 'a\0b' }), /behind a NUL/);
    fails(rawHeader({ linkname: 'a\0b' }), /behind a NUL/);
    fails(rawHeader({ prefix: 'a\0b' }), /behind a NUL/);
  });

  it('counts a time that is no number as 0', () => {
    assert.equal(readHeader(edited(rawHeader({}), (block) => block.fill(0xff, 136, 148))).mtime, 0);
  });
});

describe('isZero', () => {
  it('sees every byte, also of large buffers', () => {
    const bytes = Buffer.alloc(200_000);
    assert.ok(isZero(bytes) && isZero(Buffer.alloc(0)));
    for (const at of [0, 65_535, 65_536, 199_999]) {
      bytes[at] = 1;
      assert.ok(!isZero(bytes));
      bytes[at] = 0;
    }
  });
});
