import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultLimits } from '../../../../controllers/build/limits.ts';
import { splitPath, textRule } from '../../../../controllers/build/tar/paths.ts';

const split = (path: string) => splitPath(path, defaultLimits);

describe('splitPath', () => {
  const good: [string, string[]][] = [
    ['a', ['a']],
    ['./a/b', ['a', 'b']],
    ['a/b/', ['a', 'b']],
    ['.', []],
    ['./', []],
    ['--flag', ['--flag']],
    ['caf\u00e9/cafe\u0301/日本', ['caf\u00e9', 'cafe\u0301', '日本']],
    ['...', ['...']],
    ['a:b', ['a:b']],
    ['.gitignore', ['.gitignore']],
    ['sub/.git/config', ['sub', '.git', 'config']],
    ['n'.repeat(255), ['n'.repeat(255)]],
    [Array(128).fill('d').join('/'), Array<string>(128).fill('d')],
  ];
  for (const [path, segments] of good) {
    it(`takes ${JSON.stringify(path.slice(0, 40))}`, () => assert.deepEqual(split(path), { segments }));
  }

  const bad: [string, RegExp][] = [
    ['', /empty name/],
    ['/', /absolute/],
    ['/a', /absolute/],
    ['//a', /absolute/],
    ['..', /"\.\."/],
    ['../a', /"\.\."/],
    ['a/..', /"\.\."/],
    ['a/../b', /"\.\."/],
    ['./../a', /"\.\."/],
    ['a//b', /empty segment/],
    ['a//', /empty segment/],
    ['.//a', /empty segment/],
    ['a/./b', /empty segment or "\."/],
    ['././a', /empty segment or "\."/],
    ['C:/a', /drive letter/],
    ['a\\b', /backslash/],
    ['a\nb', /control character/],
    ['a\u0000b', /control character/],
    ['a\u007f', /control character/],
    ['a\u0085', /control character/],
    ['\u001b[2J', /control character/],
    ['.git', /\.git/],
    ['.git/config', /\.git/],
    ['./.git/hooks/x', /\.git/],
    ['n'.repeat(256), /longer than 255 bytes/],
    ['é'.repeat(128), /longer than 255 bytes/],
    [Array(129).fill('d').join('/'), /deeper than 128/],
    [Array(41).fill('p'.repeat(100)).join('/'), /longer than 4000 bytes/],
  ];
  for (const [path, rule] of bad) {
    it(`refuses ${JSON.stringify(path.slice(0, 40))}`, () => {
      const result = split(path);
      assert.match('rule' in result ? result.rule : 'accepted', rule);
    });
  }
});

describe('textRule', () => {
  it('holds for link targets too', () => {
    assert.equal(textRule('../a/b', defaultLimits), undefined);
    assert.match(textRule('a\tb', defaultLimits) ?? '', /control character/);
    assert.match(textRule('x/'.repeat(2001), defaultLimits) ?? '', /4000 bytes/);
  });
});
