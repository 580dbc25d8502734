import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extract } from 'tar-stream';
import type { Entry } from '../../../cli/pack/entry.ts';
import { endOfArchive, padding, tarHeader } from '../../../cli/pack/tar-header.ts';
import { neutralTime } from '../../../specs/neutral-time.ts';
import { listTar } from '../../support/archives.ts';

/** What tar-stream reads from the header of an entry without contents. */
async function read(entry: Entry) {
  const [first, ...rest] = await listTar(Buffer.concat([tarHeader(entry), endOfArchive]));
  assert.ok(first);
  assert.deepEqual(rest, []);
  const { name, type, mode, linkname, uid, gid, uname, gname, mtime } = first.header;
  return { name, type, mode, linkname, uid, gid, uname, gname, mtime };
}

const nobody = { uid: 0, gid: 0, uname: '', gname: '', mtime: new Date(neutralTime * 1000) };

describe('tarHeader', () => {
  it('says name, kind and permissions, and nothing of who and when', async () => {
    const file = await read({ type: 'file', name: 'a/b', mode: 0o640, size: 0 });
    assert.deepEqual(file, { name: 'a/b', type: 'file', mode: 0o640, linkname: null, ...nobody });
    const directory = await read({ type: 'directory', name: 'a', mode: 0o755 });
    assert.deepEqual(directory, { name: 'a/', type: 'directory', mode: 0o755, linkname: null, ...nobody });
    const link = await read({ type: 'symlink', name: 'a', mode: 0o777, target: '../b' });
    assert.deepEqual(link, { name: 'a', type: 'symlink', mode: 0o777, linkname: '../b', ...nobody });
  });

  it('is one block wherever ustar has room', () => {
    const header = (name: string): number => tarHeader({ type: 'file', name, mode: 0o644, size: 0 }).length;
    assert.equal(header('x'.repeat(100)), 512);
    assert.equal(header('x'.repeat(101)), 512 * 3);
    assert.equal(header(`${'p'.repeat(155)}/${'n'.repeat(100)}`), 512);
    assert.equal(header(`${'p'.repeat(156)}/${'n'.repeat(100)}`), 512 * 3);
    assert.equal(header('é'), 512 * 3);
  });

  it('keeps names and targets of any length and script', async () => {
    const long = `${'d'.repeat(120)}/`.repeat(8);
    const names = [
      'é',
      '日本',
      '😀',
      'a\nb',
      'a=b',
      ' ',
      '\\',
      `${long}x`,
      'x'.repeat(255),
      `${'p'.repeat(155)}/${'n'.repeat(100)}`,
    ];
    // Around each length at which the length of a record takes one more digit.
    for (const length of [85, 86, 87, 88, 982, 983, 984, 985, 986])
      names.push('é'.repeat(length), 'x'.repeat(length));
    for (const name of names) {
      assert.equal((await read({ type: 'file', name, mode: 0o644, size: 0 })).name, name);
      assert.equal((await read({ type: 'directory', name, mode: 0o755 })).name, `${name}/`);
      const link = await read({ type: 'symlink', name, mode: 0o777, target: name });
      assert.deepEqual([link.name, link.linkname], [name, name]);
    }
  });

  it('says sizes that eleven octal digits do not hold', async () => {
    const header = (size: number): Buffer => tarHeader({ type: 'file', name: 'x', mode: 0o644, size });
    assert.equal(header(8 * 2 ** 30 - 1).length, 512);
    const big = header(8 * 2 ** 30);
    assert.equal(big.length, 3 * 512);
    assert.equal(big.toString('latin1', 512, 531), '19 size=8589934592\n');
    const reader = extract();
    reader.write(big);
    for await (const { header: read } of reader) {
      assert.deepEqual([read.name, read.size], ['x', 8 * 2 ** 30]);
      break;
    }
  });

  it('fills up to whole blocks', () => {
    assert.deepEqual([0, 1, 511, 512, 513].map(padding), [0, 511, 1, 0, 511]);
  });
});
