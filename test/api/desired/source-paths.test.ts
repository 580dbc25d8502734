import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normalisePath, pathFault, sourcePaths } from '../../../api/desired/source-paths.ts';

describe('pathFault', () => {
  for (const path of [
    '.',
    './',
    'Dockerfile',
    'a/b/Dockerfile.prod',
    './app/',
    'a//b',
    '..a/b..',
    'ünïcode',
    '-x',
    '.hidden',
  ]) {
    it(`lets ${JSON.stringify(path)} pass`, () => assert.equal(pathFault(path), undefined));
  }
  for (const path of [
    '',
    '/',
    '/etc/passwd',
    '..',
    '../x',
    'a/..',
    'a/../b',
    'a\\b',
    'a\nb',
    'a\0b',
    'a\u009bb',
  ]) {
    it(`refuses ${JSON.stringify(path)}`, () => assert.notEqual(pathFault(path), undefined));
  }
});

describe('normalisePath', () => {
  for (const [path, normal] of [
    ['.', '.'],
    ['./', '.'],
    ['./app//', 'app'],
    ['a/./b', 'a/b'],
  ] as const) {
    it(`makes ${normal} of ${path}`, () => assert.equal(normalisePath(path), normal));
  }
});

describe('sourcePaths', () => {
  it('has the defaults of the manifest', () => {
    assert.deepEqual(sourcePaths(), {
      violations: [],
      paths: { dockerfile_path: 'Dockerfile', context_path: '.' },
    });
  });

  it('tells of both paths at once', () => {
    const { violations } = sourcePaths('/etc/passwd', '../..');
    assert.deepEqual(
      violations.map(({ path }) => path),
      ['/dockerfile_path', '/context_path'],
    );
  });

  for (const path of ['.', './', 'docker/']) {
    it(`refuses the Dockerfile ${path}, which is a directory`, () => {
      assert.deepEqual(sourcePaths(path).violations, [
        { path: '/dockerfile_path', message: 'must name a file' },
      ]);
    });
  }
});
