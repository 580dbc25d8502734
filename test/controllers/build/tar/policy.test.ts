import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultLimits } from '../../../../controllers/build/limits.ts';
import { admit, checkSymlink } from '../../../../controllers/build/tar/policy.ts';
import type { TarEntry } from '../../../../controllers/build/tar/reader.ts';
import { createTree } from '../../../../controllers/build/tar/tree.ts';

type Short = string | [path: string, target: string] | (Partial<TarEntry> & { path: string });

/** `a/` is a directory, `a` a file, `[a, b]` a symlink. */
function entryOf(short: Short): TarEntry {
  const plain = { type: '0', target: '', size: 0, mode: 0o644, mtime: 5 };
  if (typeof short === 'string') return { ...plain, path: short, type: short.endsWith('/') ? '5' : '0' };
  if (Array.isArray(short)) return { ...plain, path: short[0], target: short[1], type: '2' };
  return { ...plain, ...short };
}

function admitAll(entries: Short[], limits: Partial<typeof defaultLimits> = {}) {
  const all = { ...defaultLimits, ...limits };
  const tree = createTree(all);
  const accepted = entries.flatMap((short) => admit(tree, entryOf(short), all));
  for (const link of tree.symlinks()) checkSymlink(tree, link, () => undefined);
  return accepted;
}

const refuses = (entries: Short[], rule: RegExp) =>
  assert.throws(() => admitAll(entries), { code: 'bad_request', message: rule });

describe('admit', () => {
  it('gives each directory once and before what it holds, also where the archive does not', () => {
    const paths = (...entries: Short[]) => admitAll(entries).map(({ kind, path }) => `${kind} ${path}`);
    assert.deepEqual(paths('./', 'a/b/f', 'a/', 'a/b/', 'a/g'), [
      'directory a',
      'directory a/b',
      'file a/b/f',
      'file a/g',
    ]);
  });

  it('keeps only what matters of modes', () => {
    const [plain, set, none] = admitAll([
      { path: 'p', mode: 0o600 },
      { path: 's', mode: 0o4711 },
      { path: 'n', mode: 0 },
    ]);
    assert.deepEqual([plain?.executable, set?.executable, none?.executable], [false, true, false]);
  });

  it('points hardlinks at the regular file, through other hardlinks', () => {
    const links = admitAll([
      'd/f',
      { type: '1', path: 'l', target: './d/f' },
      { type: '1', path: 'm', target: 'l' },
    ]);
    assert.deepEqual(
      links.slice(2).map(({ kind, path, target }) => [kind, path, target]),
      [
        ['hardlink', 'l', 'd/f'],
        ['hardlink', 'm', 'd/f'],
      ],
    );
  });

  it('refuses a path that is there in any form', () => {
    for (const entries of [
      ['a', 'a'],
      ['a', 'a/'],
      ['a/', 'a'],
      ['a/', 'a/'],
      ['a', './a'],
      ['./', './'],
      ['a/b', 'a'],
    ]) {
      refuses(entries, /is there twice/);
    }
    refuses(['a/b', ['a', 'x']], /entry "a" is there twice/);
    refuses(['a', { type: '1', path: 'b', target: 'a' }, 'b'], /entry "b" is there twice/);
  });

  it('refuses files and links that hold entries', () => {
    refuses(['a', 'a/b'], /"a\/b" lies below "a", which is a file/);
    refuses(['real/', ['d', 'real'], 'd/f'], /"d\/f" lies below "d", which is a symlink/);
    refuses(['f', { type: '1', path: 'h', target: 'f' }, 'h/x'], /lies below "h", which is a file/);
  });

  it('refuses what is no file, directory or link', () => {
    const types: [string, RegExp][] = [
      ['3', /a character device/],
      ['4', /a block device/],
      ['6', /a FIFO/],
      ['S', /sparse/],
      ['7', /unknown type/],
      ['Z', /unknown type/],
    ];
    for (const [type, rule] of types) refuses([{ path: 'x', type }], rule);
  });

  it('refuses content where none belongs, and files with the name of a folder', () => {
    for (const type of ['1', '2', '5'])
      refuses(['a', { path: 'b', type, target: 'a', size: 1 }], /has content/);
    for (const path of ['.', './', 'a/']) refuses([{ path, type: '0' }], /name of a folder/);
    refuses([{ path: 'l/', type: '2', target: 'a' }], /name of a folder/);
  });

  it('refuses hardlinks to anything but an earlier regular file', () => {
    const targets = ['none', 'd', 's', 'h', '', '/etc/passwd', '../x', 'd/none', 'f/x'];
    for (const target of targets)
      refuses(['d/', 'f', ['s', 'f'], { type: '1', path: 'h', target }], /"h" is a hardlink to/);
  });

  it('refuses symlinks to nothing, absolute ones, and unprintable ones', () => {
    refuses([['l', '']], /symlink to nothing/);
    for (const target of ['/etc/passwd', '//x', 'C:/x']) refuses([['l', target]], /absolute target/);
    for (const target of ['a\nb', 'a\\b', 'x/'.repeat(3000)]) refuses([['l', target]], /"l" has a/);
  });

  it('refuses symlinks that leave the upload by any way, whatever the order of entries', () => {
    const leaving: Short[][] = [
      [['l', '..']],
      [['a/l', '../../x']],
      [['a/b/l', '../../../x']],
      [
        ['here', '.'],
        ['l', 'here/..'],
      ],
      [
        ['l', 'here/..'],
        ['here', '.'],
      ],
      ['a/b/', ['deep', 'a/b'], ['l', 'deep/../../../x']],
      [['l', 'none/../../x']],
    ];
    for (const entries of leaving) refuses(entries, /symlink that leaves the upload/);
  });

  it('accepts symlinks that stay inside, dangling and circular ones too', () => {
    const entries: Short[] = [
      'a/b/f',
      ['l', 'a'],
      ['m', 'l/b/f'],
      ['a/up', '../l/b'],
      ['x', 'x'],
      ['y', 'z'],
      ['z', 'y'],
      ['gone', 'not/there'],
    ];
    assert.equal(admitAll(entries).filter(({ kind }) => kind === 'symlink').length, 7);
  });

  it('stops at the limits', () => {
    const over = (entries: Short[], limits: Partial<typeof defaultLimits>, message: RegExp) =>
      assert.throws(() => admitAll(entries, limits), { code: 'too_large', message });
    over(['a/b/c', 'd'], { entries: 3 }, /too many entries \(limit: 3 entries\)/);
    assert.equal(admitAll(['a/b/c'], { entries: 3 }).length, 3);
    over([['aaaa', 'bbbb']], { nameBytes: 10 }, /names and link targets have more \(limit: 10 B\)/);
  });

  it('quotes names so that they cannot do harm', () => {
    refuses(['/\u202eevil'], /entry "\/\\u202eevil" has an absolute path/);
    refuses([`/${'n'.repeat(500)}`], /entry "\/n{159}…" /);
  });
});
