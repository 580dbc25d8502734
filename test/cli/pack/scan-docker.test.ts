import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { cleanEnv, fill, git, listed, repository, tree } from './support.ts';

describe('what Docker leaves out of a push', () => {
  it('honours .dockerignore, and takes the Dockerfile and the .dockerignore all the same', async (test) => {
    const root = await tree(test, {
      '.dockerignore': '*\n!src\nsrc/*.tmp\n',
      a: '',
      'src/a.ts': '',
      'src/b.tmp': '',
      'lib/x': '',
    });
    assert.deepEqual((await listed({ root })).names, ['.dockerignore', 'Dockerfile', 'src/', 'src/a.ts']);
  });

  it('takes back single files from ignored directories, with the directories', async (test) => {
    const root = await tree(test, {
      '.dockerignore': 'docs\n!**/README.md\n',
      'docs/a/README.md': '',
      'docs/a/b': '',
      'docs/c/d': '',
    });
    assert.deepEqual((await listed({ root })).names, [
      '.dockerignore',
      'Dockerfile',
      'docs/',
      'docs/a/',
      'docs/a/README.md',
    ]);
  });

  it('leaves out what either git or Docker leaves out', async (test) => {
    const root = await repository(test, {
      '.gitignore': 'a\n',
      '.dockerignore': 'b\n!a\n',
      a: '',
      b: '',
      c: '',
    });
    await git(root, 'add', 'b');
    assert.deepEqual((await listed({ root })).names, ['.dockerignore', '.gitignore', 'Dockerfile', 'c']);
  });

  it('takes a Dockerfile that git ignores, and a .dockerignore that both ignore', async (test) => {
    const root = await repository(test, {
      '.gitignore': 'Dockerfile\n.dockerignore\n',
      '.dockerignore': 'Dockerfile\n.*\n',
    });
    assert.deepEqual((await listed({ root })).names, ['.dockerignore', 'Dockerfile']);
  });

  it('packs the context and a Dockerfile outside of it, by names relative to the root', async (test) => {
    const root = await tree(test, {
      '.dockerignore': 'a\n',
      'other/file': '',
      'docker/web.Dockerfile': '',
      'docker/file': '',
      'app/.dockerignore': '/b\n',
      'app/a': '',
      'app/b': '',
      'app/sub/b': '',
    });
    const { names } = await listed({ root, context: './app/', dockerfile: 'docker/web.Dockerfile' });
    const wanted = [
      'app/',
      'app/.dockerignore',
      'app/a',
      'app/sub/',
      'app/sub/b',
      'docker/',
      'docker/web.Dockerfile',
    ];
    assert.deepEqual(names, wanted);
  });

  it('lets the .dockerignore of the Dockerfile win over that of the context', async (test) => {
    const root = await tree(test, {
      'docker/web.Dockerfile': '',
      'docker/web.Dockerfile.dockerignore': 'a\ndocker\n',
      '.dockerignore': 'b\n',
      a: '',
      b: '',
    });
    const { names } = await listed({ root, dockerfile: 'docker/web.Dockerfile' });
    const wanted = [
      '.dockerignore',
      'Dockerfile',
      'b',
      'docker/',
      'docker/web.Dockerfile',
      'docker/web.Dockerfile.dockerignore',
    ];
    assert.deepEqual(names, wanted);
  });

  it('refuses a malformed pattern by name', async (test) => {
    const root = await tree(test, { '.dockerignore': 'ok\n[\n' });
    await assert.rejects(listed({ root }), { name: 'DockerignoreError', message: /"\["/ });
  });
});

describe('what no push can hold', () => {
  it('leaves out sockets and pipes with a warning, and without one where they are ignored', async (test) => {
    const root = await tree(test, { '.dockerignore': 'ignored\n', a: '' });
    execFileSync('sh', ['-c', 'mkfifo pipe ignored'], { cwd: root });
    const server = createServer().listen(join(root, 'socket'));
    test.after(() => server.close());
    await new Promise((done) => server.once('listening', done));
    const { names, warnings } = await listed({ root });
    assert.deepEqual(names, ['.dockerignore', 'Dockerfile', 'a']);
    const wanted = [
      'Left out pipe: a named pipe cannot be pushed.',
      'Left out socket: a socket cannot be pushed.',
    ];
    assert.deepEqual(warnings.sort(), wanted);
  });

  for (const [what, files] of Object.entries({
    'an absolute link': { bad: { link: '/etc/passwd' } },
    'a link above the root': { 'a/bad': { link: '../../x' } },
    'a link to the directory above': { bad: { link: '..' } },
    'a link that leaves through another': { 'a/b/up': { link: '../..' }, bad: { link: 'a/b/up/../x' } },
  })) {
    it(`refuses ${what}, by name and with what to do`, async (test) => {
      const root = await tree(test, files);
      await assert.rejects(listed({ root }), {
        name: 'PackError',
        message: /bad -> /,
        hint: /\.dockerignore/,
      });
    });
  }

  it('keeps links that stay inside, whether they lead anywhere or not', async (test) => {
    const root = await tree(test, {
      'a/b/c/file': '',
      deep: { link: 'a/b/c' },
      roundabout: { link: 'deep/../../x' },
      dangling: { link: 'nowhere' },
      loop: { link: 'loop' },
      self: { link: '.' },
      'a/up': { link: '../Dockerfile' },
    });
    const { names } = await listed({ root });
    const links = ['a/up', 'dangling', 'deep', 'loop', 'roundabout', 'self'];
    assert.deepEqual(names, ['Dockerfile', 'a/', 'a/b/', 'a/b/c/', 'a/b/c/file', ...links]);
  });

  it('judges only links that are pushed', async (test) => {
    const root = await tree(test, { '.dockerignore': 'bad\n', bad: { link: '/' } });
    assert.deepEqual((await listed({ root })).names, ['.dockerignore', 'Dockerfile']);
  });

  it('refuses a name that is not UTF-8', async (test) => {
    const root = await tree(test);
    writeFileSync(Buffer.concat([Buffer.from(`${root}/a`), Buffer.from([0xff])]), '');
    await assert.rejects(listed({ root }), { name: 'PackError', message: /not valid UTF-8/ });
    await fill(root, { '.dockerignore': 'a*\n' });
    assert.deepEqual((await listed({ root })).names, ['.dockerignore', 'Dockerfile']);
  });

  it('goes through directories of any number', async (test) => {
    const root = await tree(test);
    for (let i = 0; i < 200; i += 1) mkdirSync(join(root, `d${i}`));
    assert.equal((await listed({ root }, cleanEnv)).names.length, 201);
  });
});
