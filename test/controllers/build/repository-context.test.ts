import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { extract } from 'tar-stream';
import { repositoryContext } from '../../../controllers/build/repository-context.ts';
import { repositoryLimits } from '../../../controllers/build/limits.ts';
import { scratchDir } from '../../support/archives.ts';

const exec = promisify(execFile);

type Files = Readonly<Record<string, string | { link: string }>>;

/** A tar as GNU tar makes it. */
async function archive(t: TestContext, files: Files): Promise<string> {
  const dir = await scratchDir(t);
  const tree = join(dir, 'tree');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    if (typeof content === 'string') await writeFile(join(tree, path), content);
    else await symlink(content.link, join(tree, path));
  }
  const tops = [...new Set(Object.keys(files).map((path) => path.split('/')[0] ?? ''))];
  await exec('tar', ['--sort=name', '-cf', join(dir, 'x.tar'), '-C', tree, ...tops]);
  return join(dir, 'x.tar');
}

async function contextOf(archives: string[], paths = {}, limits = repositoryLimits) {
  const all = { dockerfilePath: 'Dockerfile', contextPath: '.', ...paths };
  const { stream, dockerfile } = await repositoryContext({ archives, objects: '/nowhere' }, all, limits);
  const names: string[] = [];
  const tar = extract();
  tar.on('entry', ({ name }, content, next) => {
    names.push(name);
    content.on('end', next);
    content.resume();
  });
  await pipeline(stream, tar);
  return { names, dockerfile };
}

describe('the context of a repository', () => {
  it('is all of its archives, without what .dockerignore leaves out', async (t) => {
    const root = await archive(t, {
      '.dockerignore': 'docs\n*.log\n!docs/keep.md\nDockerfile\n',
      Dockerfile: 'FROM x',
      'a.log': '',
      'docs/a.md': '',
      'docs/keep.md': '',
      'src/b.ts': '',
    });
    const submodule = await archive(t, { 'vendor/lib/c.ts': '', 'vendor/lib/d.log': '' });
    const { names, dockerfile } = await contextOf([root, submodule]);
    assert.equal(dockerfile, 'Dockerfile');
    assert.deepEqual(names.filter((name) => !name.endsWith('/')).sort(), [
      '.dockerignore',
      'Dockerfile',
      'docs/keep.md',
      'src/b.ts',
      'vendor/lib/c.ts',
      'vendor/lib/d.log',
    ]);
    assert.ok(names.indexOf('docs/') >= 0 && names.indexOf('docs/') < names.indexOf('docs/keep.md'));
  });

  it('takes the ignore file of the Dockerfile before that of the context, and paths from the context on', async (t) => {
    const root = await archive(t, {
      'app/.dockerignore': 'x',
      'app/x': '',
      'app/y': '',
      'docker/Dockerfile': 'FROM x',
      'docker/Dockerfile.dockerignore': 'y',
    });
    const paths = { dockerfilePath: 'docker/Dockerfile', contextPath: 'app' };
    const { names, dockerfile } = await contextOf([root], paths);
    assert.deepEqual(names.sort(), [dockerfile, '.dockerignore', 'x'].sort());
  });

  it('refuses what uploads may not have either, but not of what stays behind', async (t) => {
    const files = { Dockerfile: 'FROM x', 'out/passwd': { link: '/etc/passwd' } };
    await assert.rejects(contextOf([await archive(t, files)]), {
      name: 'ProblemError',
      message: /^The repository is refused: entry "out\/passwd" is a symlink with an absolute target/,
    });
    const { names } = await contextOf([await archive(t, { ...files, '.dockerignore': 'out' })]);
    assert.deepEqual(names.sort(), ['.dockerignore', 'Dockerfile']);
  });

  it('says what is not there, what is malformed and what is too much', async (t) => {
    const root = await archive(t, { 'a/b': '', c: '' });
    await assert.rejects(contextOf([root]), {
      message: 'There is no Dockerfile "Dockerfile" in the repository: check the path and .dockerignore.',
    });
    const malformed = await archive(t, { Dockerfile: '', '.dockerignore': 'a[' });
    await assert.rejects(contextOf([malformed]), { code: 'invalid', message: /"a\["/ });
    await assert.rejects(contextOf([root], { dockerfilePath: 'c' }, { ...repositoryLimits, entries: 1 }), {
      reason: 'CloneTooLarge',
      message: /^The repository is too large/,
    });
  });
});
