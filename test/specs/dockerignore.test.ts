import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { dockerignore, dockerignoreLines } from '../../specs/dockerignore.ts';
import { DockerignoreError } from '../../specs/dockerignore/pattern.ts';

interface Row {
  patterns?: string[];
  pattern?: string;
  text: string;
  match: boolean;
  error?: boolean;
  test?: string;
}

interface Tables {
  matches: Row[];
  multi: Row[];
  match_err: Row[];
  single: Row[];
}

interface Recorded {
  patterns: string[];
  path: string;
  verdict: 'ignore' | 'keep' | 'error';
}

async function corpus<T>(name: string): Promise<T> {
  const path = new URL(`../corpora/ignore/${name}`, import.meta.url);
  return JSON.parse(await readFile(path, 'utf8')) as T;
}

/** As a walk asks: each directory on the way, then the path. The directory of `a/` is `a`, as in Go. */
function verdict(patterns: readonly string[], path: string): Recorded['verdict'] {
  try {
    const rules = dockerignore(patterns);
    let { top: inherited } = rules;
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      inherited = rules.check(path.slice(0, end), inherited).inherited;
    }
    return rules.check(path, inherited).ignored ? 'ignore' : 'keep';
  } catch (error) {
    assert.ok(error instanceof DockerignoreError);
    return 'error';
  }
}

describe('.dockerignore', () => {
  it('decides every row of moby as moby does', async () => {
    const { matches, multi, match_err, single } = await corpus<Tables>('moby-patternmatcher.json');
    // Two rows of the last table say that the pattern is refused by their name alone.
    const refused = ['TestSingleExclamationError', 'TestMatchesWithMalformedPatterns'];
    for (const row of [...matches, ...multi, ...match_err, ...single]) {
      const patterns = row.patterns ?? [row.pattern ?? ''];
      const error = row.error === true || refused.includes(row.test ?? '');
      const wanted = row.match ? 'ignore' : 'keep';
      assert.equal(verdict(patterns, row.text), error ? 'error' : wanted, JSON.stringify(row));
    }
    assert.equal(matches.length + multi.length + match_err.length + single.length, 137);
  });

  it('decides every recorded row as moby did', async () => {
    for (const row of await corpus<Recorded[]>('recorded.json')) {
      assert.equal(verdict(row.patterns, row.path), row.verdict, JSON.stringify(row));
    }
  });

  it('reads a file as Docker does', () => {
    const text = [
      '\uFEFF# a comment',
      'test1',
      '/test2',
      '/a/file/here/',
      '',
      '  ./b/../lastfile  ',
      ' # no comment',
      '! /inverted/abs/path',
      '!',
      'crlf',
    ].join('\r\n');
    const wanted = [
      'test1',
      'test2',
      'a/file/here',
      'lastfile',
      '# no comment',
      '!inverted/abs/path',
      '!',
      'crlf',
    ];
    assert.deepEqual(dockerignoreLines(text), wanted);
  });

  it('enters an ignored directory only where a ! pattern could reach into it', () => {
    const plain = dockerignore(['docs', 'out', '!docs/keep/README.md', '!src/*']);
    assert.equal(plain.mayReinclude('docs'), true);
    assert.equal(plain.mayReinclude('docs/keep'), true);
    assert.equal(plain.mayReinclude('docs/other'), false);
    assert.equal(plain.mayReinclude('out'), false);
    assert.equal(dockerignore(['out', '!**/README.md']).mayReinclude('out'), true);
  });

  it('names the pattern that it refuses', () => {
    assert.throws(() => dockerignore(['a[']), { name: 'DockerignoreError', message: /"a\["/ });
    const late = dockerignore(['a*b[']);
    assert.throws(() => late.check('x', late.top), { name: 'DockerignoreError', message: /"a\*b\["/ });
  });
});
