import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { gitRules } from '../../../cli/pack/gitignore.ts';
import { cleanEnv, git, scratch } from './support.ts';

const names = ['a', 'b', 'ab', 'aa', 'x.c', '.x', '*', 'é', '[', 'a]', 'a b', '#', '!a', 'c', '(', '+'];
const directories = ['', 'a', 'a/b', '[x]', 'd*', 'd*/é d', 'c\\'];

const atom = fc.constantFrom(
  ...[
    'a',
    'b',
    'c',
    '.',
    '*',
    '**',
    '***',
    '?',
    '[ab]',
    '[^a]',
    '[!a]',
    '[a-c]',
    '[*]',
    '[]a]',
    '[[:digit:]]',
  ],
  ...[
    '\\*',
    '\\a',
    '\\#',
    '\\!',
    '\\ ',
    'é',
    '(',
    '+',
    '{',
    '$',
    '^',
    '-',
    '!',
    '#',
    ']',
    '1',
    ' ',
    '[',
    'x',
  ],
);
const segment = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom('*', '**', '*.c', '.*', 'a', 'ab', 'a**', 'b***') },
  { weight: 2, arbitrary: fc.array(atom, { minLength: 1, maxLength: 3 }).map((atoms) => atoms.join('')) },
);
const pattern = fc
  .record({
    mark: fc.constantFrom('', '', '!'),
    first: fc.constantFrom('', '', '/'),
    path: fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/')),
    last: fc.constantFrom('', '', '/', ' ', '/ ', '\r'),
  })
  .map(({ mark, first, path, last }) => mark + first + path + last);
const file = fc
  .record({
    start: fc.constantFrom('', '', '\uFEFF', '# comment\n', '\n'),
    patterns: fc.array(pattern, { minLength: 1, maxLength: 4 }),
    end: fc.constantFrom('', '\n'),
  })
  .map(({ start, patterns, end }) => start + patterns.join('\n') + end);
const path = fc
  .tuple(fc.constantFrom(...directories), fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }))
  .map(([directory, parts]) => [...(directory === '' ? [] : [directory]), ...parts].join('/'));

/** What `git check-ignore` says of each path. */
function asked(root: string, paths: readonly string[]): boolean[] {
  const args = ['check-ignore', '--no-index', '-z', '--stdin', '--verbose', '--non-matching'];
  const options = { cwd: root, env: cleanEnv, input: paths.map((each) => `${each}\0`).join('') };
  let out: string;
  try {
    out = execFileSync('git', args, options).toString();
  } catch (error) {
    // It ends with 1 where nothing is ignored.
    out = String((error as { stdout: Buffer }).stdout);
  }
  const fields = out.split('\0');
  return paths.map((_, i) => {
    const rule = fields[i * 4 + 2] ?? '';
    return rule !== '' && !rule.startsWith('!');
  });
}

describe('.gitignore', () => {
  it('says what git check-ignore says, for generated files in nested directories', async (test) => {
    const root = await scratch(test);
    await git(root, 'init', '-q');
    const exclude = join(root, '.git/info/exclude');
    const ignoreFiles = fc.dictionary(fc.constantFrom(...directories), file, {
      minKeys: 1,
      maxKeys: 4,
      noNullPrototype: true,
    });
    const property = fc.property(
      fc.option(file),
      ignoreFiles,
      fc.uniqueArray(path, { minLength: 12, maxLength: 12 }),
      (excluded, files, paths) => {
        writeFileSync(exclude, excluded ?? '');
        let rules = gitRules(false);
        if (excluded !== null) rules = rules.with('', excluded);
        // git only sees files in directories; the rules take them from the top down, as a walk meets them.
        for (const directory of directories) {
          mkdirSync(join(root, directory), { recursive: true });
          rmSync(join(root, directory, '.gitignore'), { force: true });
          const text = files[directory];
          if (text === undefined) continue;
          writeFileSync(join(root, directory, '.gitignore'), text);
          rules = rules.with(directory, text);
        }
        const said = paths.map((each) => rules.ignores(directories.includes(each) ? `${each}/` : each));
        assert.deepEqual(said, asked(root, paths));
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  it('gives the deeper file and the later line the last word', () => {
    const rules = gitRules(false)
      .with('', '*.log\n!keep.log\n/out\n')
      .with('sub', '!*.log\nkeep.log\n/local\n');
    const ignored = ['a.log', 'x/a.log', 'out', 'out/a', 'sub/keep.log', 'sub/x/keep.log', 'sub/local'];
    const kept = ['keep.log', 'x/out', 'sub/a.log', 'sub/out', 'local', 'sub/x/local'];
    assert.deepEqual(
      ignored.filter((each) => !rules.ignores(each)),
      [],
    );
    assert.deepEqual(
      kept.filter((each) => rules.ignores(each)),
      [],
    );
  });

  it('matches a directory pattern against directories only', () => {
    const rules = gitRules(false).with('', 'build/\n');
    assert.equal(rules.ignores('build'), false);
    assert.equal(rules.ignores('build/'), true);
    assert.equal(rules.ignores('a/build/x'), true);
  });

  it('takes nothing back from an ignored directory', () => {
    const rules = gitRules(false).with('', 'out\n').with('out', '!a\n');
    assert.equal(rules.ignores('out/a'), true);
  });

  it('ignores case only where git does', () => {
    assert.equal(gitRules(false).with('', 'OUT\n').ignores('out'), false);
    assert.equal(gitRules(true).with('', 'OUT\n').ignores('out'), true);
  });
});
