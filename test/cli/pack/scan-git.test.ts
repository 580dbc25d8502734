import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cleanEnv, fill, git, listed, repository, scratch, tree } from './support.ts';

const files = async (root: string, env = cleanEnv): Promise<string[]> => {
  const { names } = await listed({ root }, env);
  return names.filter((name) => name !== 'Dockerfile');
};

describe('what git leaves out of a push', () => {
  it('takes tracked and untracked files, and never .git', async (test) => {
    const root = await repository(test, { 'src/tracked.ts': '', 'src/new.ts': '' });
    await git(root, 'add', 'src/tracked.ts');
    assert.deepEqual(await files(root), ['src/', 'src/new.ts', 'src/tracked.ts']);
  });

  it('takes what is tracked although a rule names it, alone in an ignored directory too', async (test) => {
    const root = await repository(test, {
      '.gitignore': '*.log\nout/\n',
      'kept.log': '',
      'a.log': '',
      'out/deep/kept': '',
      'out/deep/new': '',
      'out/new': '',
      'out/empty': null,
    });
    await git(root, 'add', '-f', 'kept.log', 'out/deep/kept');
    assert.deepEqual(await files(root), ['.gitignore', 'kept.log', 'out/', 'out/deep/', 'out/deep/kept']);
  });

  it('leaves out tracked files that were deleted', async (test) => {
    const root = await repository(test, { a: '', b: '' });
    await git(root, 'add', '.');
    await rm(join(root, 'a'));
    assert.deepEqual(await files(root), ['b']);
  });

  it('keeps empty directories, and those that hold only ignored files', async (test) => {
    const root = await repository(test, { '.gitignore': 'logs/*\n', 'logs/a': '', empty: null });
    assert.deepEqual(await files(root), ['.gitignore', 'empty/', 'logs/']);
  });

  it('honours nested and negated rules and .git/info/exclude', async (test) => {
    const root = await repository(test, {
      '.gitignore': '*.log\n/build\n',
      'a.log': '',
      'build/x': '',
      'private.txt': '',
      'sub/.gitignore': '!*.log\n/local\n',
      'sub/a.log': '',
      'sub/build/x': '',
      'sub/local': '',
    });
    await writeFile(join(root, '.git/info/exclude'), 'private.txt\n');
    const wanted = ['.gitignore', 'sub/', 'sub/.gitignore', 'sub/a.log', 'sub/build/', 'sub/build/x'];
    assert.deepEqual(await files(root), wanted);
  });

  it("honours the user's excludes file, where core.excludesFile says and where it lies by default", async (test) => {
    const root = await repository(test, { 'a.swp': '', 'b.bak': '', c: '' });
    const home = await scratch(test);
    await fill(home, {
      ignores: '*.swp\n',
      gitconfig: '[core]\n\texcludesFile = ~/ignores\n',
      'xdg/git/ignore': '*.bak\n',
    });
    const configured = { ...cleanEnv, HOME: home, GIT_CONFIG_GLOBAL: join(home, 'gitconfig') };
    assert.deepEqual(await files(root, configured), ['b.bak', 'c']);
    assert.deepEqual(await files(root, { ...cleanEnv, HOME: home, XDG_CONFIG_HOME: join(home, 'xdg') }), [
      'a.swp',
      'c',
    ]);
  });

  it('counts rules from above when a directory of a repository is pushed', async (test) => {
    const root = await repository(test, {
      '.gitignore': '*.log\n/apps/web/secret\n/secret2\n',
      'apps/.gitignore': 'tmp/\n',
      'apps/web/Dockerfile': '',
      'apps/web/a.log': '',
      'apps/web/kept.log': '',
      'apps/web/secret': '',
      'apps/web/secret2': '',
      'apps/web/tmp/x': '',
    });
    await git(root, 'add', '-f', 'apps/web/kept.log');
    assert.deepEqual(await files(join(root, 'apps/web')), ['kept.log', 'secret2']);
  });

  it('takes an ignored directory that is named itself, by its own rules', async (test) => {
    const root = await repository(test, {
      '.gitignore': 'dist\n*.map\n',
      'dist/Dockerfile': '',
      'dist/.gitignore': 'x\n',
      'dist/app.js': '',
      'dist/app.map': '',
      'dist/x': '',
    });
    assert.deepEqual(await files(join(root, 'dist')), ['.gitignore', 'app.js', 'app.map']);
    const { names } = await listed({ root, context: 'dist' });
    assert.deepEqual(names, [
      'Dockerfile',
      'dist/',
      'dist/.gitignore',
      'dist/Dockerfile',
      'dist/app.js',
      'dist/app.map',
    ]);
  });

  it('takes submodules and clones by their own rules and without their .git', async (test) => {
    const library = await repository(test, { '.gitignore': 'out\n', 'lib.c': '', 'kept/out': '' });
    await git(library, 'add', '-f', '.');
    await git(library, 'commit', '-q', '-m', 'x');
    const root = await repository(test, { '.gitignore': '*.c\nvendor\n/clones/ignored\n' });
    await git(root, 'submodule', '--quiet', 'add', '-f', library, 'vendor/lib');
    await git(root, 'clone', '-q', library, 'clones/lib');
    await git(root, 'clone', '-q', library, 'clones/ignored');
    await fill(root, { 'vendor/lib/out': '', 'vendor/lib/new.c': '', 'vendor/new': '' });
    const inside = ['.gitignore', 'Dockerfile', 'kept/', 'kept/out', 'lib.c'];
    const wanted = [
      ...[
        '.gitignore',
        '.gitmodules',
        'clones/',
        'clones/lib/',
        ...inside.map((name) => `clones/lib/${name}`),
      ],
      ...['vendor/', 'vendor/lib/', ...[...inside, 'new.c'].sort().map((name) => `vendor/lib/${name}`)],
    ];
    assert.deepEqual(await files(root), wanted.sort());
  });

  it('takes a directory with a false .git as any other', async (test) => {
    const root = await repository(test, {
      '.gitignore': 'x\n',
      'a/.git': 'no repository',
      'a/x': '',
      'a/y': '',
      'b/.git': 'gitdir: /nonexistent\n',
      'b/x': '',
      'c/.git': null,
      'c/x': '',
    });
    assert.deepEqual(await files(root), ['.gitignore', 'a/', 'a/y', 'b/', 'c/']);
  });

  it('counts .gitignore files outside of any repository, not those above the root', async (test) => {
    const root = await tree(test, {
      '.gitignore': 'a\n',
      'sub/Dockerfile': '',
      'sub/.gitignore': 'b\n',
      'sub/a': '',
      'sub/b': '',
    });
    assert.deepEqual(await files(root), ['.gitignore', 'sub/', 'sub/.gitignore', 'sub/Dockerfile']);
    assert.deepEqual(await files(join(root, 'sub')), ['.gitignore', 'a']);
  });

  it('does what it can without git, and says what that misses', async (test) => {
    const root = await repository(test, {
      '.gitignore': '*.log\n',
      'sub/Dockerfile': '',
      'sub/a.log': '',
      'sub/b': '',
      'sub/c': '',
    });
    await writeFile(join(root, '.git/info/exclude'), '/sub/c\n');
    const { names, warnings } = await listed({ root: join(root, 'sub') }, { PATH: '/nonexistent' });
    assert.deepEqual(names, ['Dockerfile', 'b']);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /git is not installed/);
  });

  it('follows no symbolic link to a .gitignore, as git does not', async (test) => {
    const root = await repository(test, { rules: 'a\n', '.gitignore': { link: 'rules' }, a: '' });
    assert.deepEqual(await files(root), ['.gitignore', 'a', 'rules']);
  });

  it('lets a repository run nothing', async (test) => {
    const root = await repository(test, { a: '' });
    const trace = join(await scratch(test), 'ran');
    await fill(root, { 'hook.sh': { text: `#!/bin/sh\ntouch ${trace}\n`, mode: 0o755 } });
    await git(root, 'config', 'core.fsmonitor', join(root, 'hook.sh'));
    await git(root, 'config', 'core.pager', join(root, 'hook.sh'));
    await files(root, { ...cleanEnv, GIT_DIR: '/nonexistent', GIT_EXTERNAL_DIFF: join(root, 'hook.sh') });
    assert.equal(existsSync(trace), false);
  });

  it('refuses a repository that git does not trust, and says how to', async (test) => {
    const root = await repository(test, { a: '' });
    execFileSync('chown', ['-R', '12345:12345', root]);
    await assert.rejects(files(root), {
      name: 'PackError',
      message: /dubious ownership/,
      hint: /safe\.directory/,
    });
  });

  it('takes the files that git ls-files lists, for generated trees', async (test) => {
    const root = await repository(test);
    const name = fc.constantFrom('a', 'b', 'ab', 'x.c', '.x', 'é', 'a b', 'out', '[x]');
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    const line = fc
      .tuple(
        fc.constantFrom('', '', '!'),
        fc.constantFrom('', '/'),
        path,
        fc.constantFrom('', '/', '/*', '/**', '*'),
      )
      .map((parts) => parts.join(''));
    const rules = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n'));
    const property = fc.asyncProperty(
      fc.uniqueArray(path, { minLength: 5, maxLength: 25 }),
      fc.uniqueArray(path, { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('', 'a/', 'b/', 'a/b/', 'out/'), rules, {
        minKeys: 1,
        noNullPrototype: true,
      }),
      fc.nat(),
      async (paths, directories, ignores, tracked) => {
        execFileSync(
          'find',
          [root, '-mindepth', '1', '-not', '-path', '*/.git', '-not', '-path', '*/.git/*', '-delete'],
          { stdio: 'ignore' },
        );
        await git(root, 'read-tree', '--empty');
        const make = (content: '' | null, names: readonly string[]) =>
          Promise.all(names.map((each) => fill(root, { [each]: content }).catch(() => undefined)));
        await make(null, directories);
        for (const each of paths) await make('', [each]);
        for (const [directory, text] of Object.entries(ignores)) {
          await fill(root, { [`${directory}.gitignore`]: text }).catch(() => undefined);
        }
        await fill(root, { Dockerfile: '' });
        const track = paths.filter(
          (each, i) => (tracked >> (i % 31)) % 2 === 1 && existsSync(join(root, each)),
        );
        if (track.length > 0) await git(root, 'add', '-f', '--', ...track.map((each) => `:(literal)${each}`));
        const wanted = (
          await git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard')
        ).split('\0');
        const { names } = await listed({ root });
        const got = names.filter((each) => !each.endsWith('/'));
        assert.deepEqual(got, [...new Set([...wanted.filter((each) => each !== ''), 'Dockerfile'])].sort());
      },
    );
    await fc.assert(property, { numRuns: 40 });
  });
});
