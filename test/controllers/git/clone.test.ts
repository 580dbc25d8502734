/** Clones from a real sshd on loopback: what they hold. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { repositoryContext } from '../../../controllers/build/repository-context.ts';
import { startGitHost, type GitHost } from '../../support/git-host.ts';
import { writeTree } from '../../support/git-repository.ts';
import { namesIn, project } from './scene.ts';

const exec = promisify(execFile);

let host: GitHost;
before(async () => {
  host = await startGitHost();
});
after(() => host.stop());

describe('a clone', () => {
  it('is of a branch, a tag, and a commit, whole or shortened', async (t) => {
    const first = await host.commit('app', { Dockerfile: 'FROM busybox\n', 'a/b.txt': '1' }, { tag: 'v1' });
    const second = await host.commit('app', { Dockerfile: 'FROM busybox\n', 'c.txt': '2' });
    const { clone, commits, left } = await project(t, host);
    for (const [ref, commit, names] of [
      ['main', second, ['Dockerfile', 'c.txt']],
      ['HEAD', second, ['Dockerfile', 'c.txt']],
      ['refs/heads/main', second, ['Dockerfile', 'c.txt']],
      ['v1', first, ['Dockerfile', 'a/', 'a/b.txt']],
      [first, first, ['Dockerfile', 'a/', 'a/b.txt']],
      [first.slice(0, 10), first, ['Dockerfile', 'a/', 'a/b.txt']],
    ] as const) {
      const checkout = await clone(host.url('app'), ref);
      assert.equal(checkout.commit, commit, ref);
      assert.equal(commits.at(-1), commit);
      assert.deepEqual(await namesIn(checkout.archives), names);
      await checkout.remove();
      assert.deepEqual(await left(), []);
    }
  });

  it('is of what was settled before, wherever the branch has gone since', async (t) => {
    const first = await host.commit('moving', { Dockerfile: '1' });
    await host.commit('moving', { Dockerfile: '2' });
    const { clone } = await project(t, host);
    const checkout = await clone(host.url('moving'), 'main', { commit: first });
    assert.equal(checkout.commit, first);
  });

  it('fetches more where the host gives out no commit by its name', async (t) => {
    const first = await host.commit('strict', { Dockerfile: '1' });
    await host.commit('strict', { Dockerfile: '2' });
    await host.git('strict', ['config', 'protocol.version', '0']);
    await host.git('strict', ['config', 'uploadpack.allowAnySHA1InWant', 'false']);
    const { clone } = await project(t, host);
    assert.equal((await clone(host.url('strict'), first)).commit, first);
  });

  it('holds what the commit holds, whatever its attributes say', async (t) => {
    const attributes = 'secret.txt export-ignore\nversion.txt export-subst\n*.txt filter=evil\n';
    await host.commit('attributes', {
      '.gitattributes': attributes,
      'secret.txt': 's',
      'version.txt': '$Format:%H$',
    });
    const { clone } = await project(t, host);
    const { archives } = await clone(host.url('attributes'), 'main');
    assert.deepEqual(await namesIn(archives), ['.gitattributes', 'secret.txt', 'version.txt']);
    const { stdout } = await exec('tar', ['-xOf', archives[0] ?? '', 'version.txt']);
    assert.equal(stdout, '$Format:%H$');
  });

  it('of names that are not taken is refused by the build, as a repository', async (t) => {
    await host.commit('names', { Dockerfile: 'FROM busybox' });
    const id = await host.git('names', ['rev-parse', 'main:Dockerfile']);
    const entry = { mode: '100644', id };
    const tree = await writeTree(new URL(host.url('names')).pathname, [
      { ...entry, name: Buffer.from('Dockerfile') },
      { ...entry, name: Buffer.from([0x62, 0xff, 0xfe]) },
    ]);
    const commit = await host.git('names', ['commit-tree', '-m', 'no UTF-8', tree]);
    await host.git('names', ['update-ref', 'refs/heads/main', commit]);
    const { clone } = await project(t, host);
    const checkout = await clone(host.url('names'), 'main');
    await assert.rejects(repositoryContext(checkout, { dockerfilePath: 'Dockerfile', contextPath: '.' }), {
      message: /^The repository is refused: entry ".+" has a name that is not UTF-8/,
    });
  });

  for (const [what, ref, next] of [
    ['a branch', 'nowhere', ': check its spelling'],
    ['a commit', '0123456789012345678901234567890123456789', ': push it there'],
    ['the beginning of one', '0123456789', ', or the shortened name'],
  ] as const) {
    it(`says that there is no such thing: ${what}`, async (t) => {
      await host.commit('app', { Dockerfile: 'FROM busybox' });
      const { clone, left } = await project(t, host);
      const message = new RegExp(`has no branch, tag or commit ${ref}${next}`);
      await assert.rejects(clone(host.url('app'), ref), { name: 'GitError', reason: 'CloneFailed', message });
      assert.deepEqual(await left(), []);
    });
  }

  for (const [url, ref] of [
    ['ext::sh -c id', 'main'],
    ['file:///etc', 'main'],
    ['git@host:-oProxyCommand=x', 'main'],
    ['https://git.example.com/x', '--upload-pack=touch /tmp/x'],
  ] as const) {
    it(`never gives git ${url} ${ref}`, async (t) => {
      const { clone, log } = await project(t, host);
      await assert.rejects(clone(url, ref), { name: 'GitError', reason: 'CloneFailed' });
      assert.deepEqual(log, []);
    });
  }
});

describe('submodules', () => {
  it('go along, those below them too, each at its commit and with its own address', async (t) => {
    const deep = await host.commit('deep', { 'deep.txt': 'd' });
    const lib = await host.commit(
      'lib',
      { 'lib.txt': 'l' },
      { submodules: { inner: { url: '../deep.git', commit: deep } } },
    );
    await host.commit('lib', { 'lib.txt': 'newer' });
    const submodules = { 'vendor/lib': { url: host.url('lib'), commit: lib } };
    await host.commit('whole', { Dockerfile: 'x', 'vendor/own.txt': 'o' }, { submodules });
    const { clone, log } = await project(t, host);
    const { archives } = await clone(host.url('whole'), 'main');
    const files = (await namesIn(archives)).filter((name) => !name.endsWith('/')).sort();
    assert.deepEqual(files, [
      '.gitmodules',
      'Dockerfile',
      'vendor/lib/.gitmodules',
      'vendor/lib/inner/deep.txt',
      'vendor/lib/lib.txt',
      'vendor/own.txt',
    ]);
    assert.ok(log.some((line) => line.startsWith('Cloning submodule vendor/lib/inner from ssh://')));
  });

  for (const [url, message] of [
    ['ext::sh -c touch% /tmp/pwned', /address of the submodule "evil" has a form that is not taken/],
    ['file:///etc', /must not use file:/],
    ['--upload-pack=touch /tmp/pwned', /disallowed submodule url/],
    ['-u./evil', /disallowed submodule url/],
    ['https://ada:secret@git.example.com/x', /must not hold a user or password/],
    ['../../../../../../../../../x', /leads above its host/],
    ['https://169.254.169.254/latest', /never fetches from/],
    ['ssh://git@127.0.0.2:22/x', /cannot be reached/],
  ] as const) {
    it(`from ${url} are refused`, async (t) => {
      const commit = '1'.repeat(40);
      await host.commit(
        'evil',
        { Dockerfile: 'x' },
        { branch: `to-${url.length}`, submodules: { evil: { url, commit } } },
      );
      const { clone, left } = await project(t, host);
      await assert.rejects(clone(host.url('evil'), `to-${url.length}`), { reason: 'CloneFailed', message });
      assert.deepEqual(await left(), []);
    });
  }
});
