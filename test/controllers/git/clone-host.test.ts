/** The host of a clone: known by its key, reached where it may be, told apart when it refuses. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { startGitHost, type GitHost } from '../../support/git-host.ts';
import { listen, project } from './scene.ts';

let host: GitHost;
before(async () => {
  host = await startGitHost();
});
after(() => host.stop());

describe('the host of a repository', () => {
  it('is pinned at its first use, told in the log, and refused with another key', async (t) => {
    await host.commit('app', { Dockerfile: 'FROM busybox' });
    const { clone, pinned, log } = await project(t, host);
    await clone(host.url('app'), 'main');
    const name = `[127.0.0.1]:${host.port}`;
    const before = await host.fingerprint();
    assert.deepEqual(pinned.get(name)?.fingerprints, [before]);
    assert.ok(log.some((line) => line.includes(before)));
    for (const type of ['ed25519', 'rsa'] as const) {
      await host.changeKey(type);
      const now = await host.fingerprint();
      await assert.rejects(clone(host.url('app'), 'main'), (error: Error) => {
        assert.match(JSON.stringify(error), /HostKeyChanged/);
        for (const part of [name, before, now, `svc projects known-hosts remove PROJECT '${name}'`])
          assert.ok(error.message.includes(part), `${part} in ${error.message}`);
        return true;
      });
      assert.deepEqual(pinned.get(name)?.fingerprints, [before]);
    }
    pinned.delete(name);
    await clone(host.url('app'), 'main');
  });

  it('is known by all keys that it has at the first use, whichever of them it offers later, and by no other', async (t) => {
    await host.commit('app', { Dockerfile: 'FROM busybox' });
    await host.changeKey('ed25519', 'ecdsa', 'rsa');
    const { clone, pinned, log } = await project(t, host);
    await clone(host.url('app'), 'main');
    const name = `[127.0.0.1]:${host.port}`;
    const all = await Promise.all(
      (['ed25519', 'ecdsa', 'rsa'] as const).map((type) => host.fingerprint(type)),
    );
    assert.deepEqual([...(pinned.get(name)?.fingerprints ?? [])].sort(), all.sort());
    assert.equal(pinned.get(name)?.lines.length, 3);
    assert.ok(log.some((line) => all.every((fingerprint) => line.includes(fingerprint))));
    for (const type of ['rsa', 'ecdsa', 'ed25519'] as const) {
      await host.offer(type);
      await clone(host.url('app'), 'main');
    }
    await host.changeKey('rsa');
    await assert.rejects(clone(host.url('app'), 'main'), { reason: 'HostKeyChanged' });
    assert.deepEqual([...(pinned.get(name)?.fingerprints ?? [])].sort(), all.sort());
  });

  it('may add a key, and is known by the old one; with the added one alone it is refused', async (t) => {
    await host.commit('app', { Dockerfile: 'FROM busybox' });
    await host.changeKey('rsa');
    const { clone, pinned, log } = await project(t, host);
    await clone(host.url('app'), 'main');
    const told = log.length;
    await host.changeKey('ed25519');
    await assert.rejects(clone(host.url('app'), 'main'), { reason: 'HostKeyChanged' });
    // Nothing that git guesses: the verdict says what it is.
    assert.deepEqual(log.slice(told), [`Cloning ${host.url('app')} at main`]);
    await host.offer('ed25519', 'rsa');
    await clone(host.url('app'), 'main');
    assert.equal(pinned.get(`[127.0.0.1]:${host.port}`)?.lines.length, 1);
  });

  it('that refuses the deploy key, or gets none, is told apart from one that has no such repository', async (t) => {
    await host.commit('private', { Dockerfile: 'FROM busybox' });
    const without = await project(t, host, { deployKey: () => Promise.resolve(null) });
    await assert.rejects(without.clone(host.url('private'), 'main'), {
      message: /has no deploy key \(make one/,
    });
    const other = await project(t, host);
    await host.authorize('');
    await assert.rejects(other.clone(host.url('private'), 'main'), { message: /SHA256:of-the-project/ });
    const member = await project(t, host);
    await assert.rejects(member.clone(host.url('nothing'), 'main'), { message: /no such repository/ });
  });

  it('is not reached at addresses that are closed, whatever its name', async (t) => {
    const { clone, log } = await project(t, host, {
      allow: [],
      lookup: () => Promise.resolve(['127.0.0.1', '::1', '169.254.169.254']),
    });
    for (const url of [host.url('app'), 'https://git.example.com/x', 'git@localhost:x'])
      await assert.rejects(clone(url, 'main'), { reason: 'CloneFailed', message: /never fetches from/ });
    assert.equal(
      log.some((line) => line.includes('fingerprint')),
      false,
    );
  });

  it('is tried at each of its addresses', async (t) => {
    await host.commit('app', { Dockerfile: 'FROM busybox' });
    const { clone } = await project(t, host, { lookup: () => Promise.resolve(['127.0.0.9', '127.0.0.1']) });
    await clone(host.url('app').replace('127.0.0.1', 'git.example.com'), 'main');
  });

  it('whose certificate nobody vouches for is refused', async (t) => {
    const { clone } = await project(t, host);
    const server = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    const port = await listen(t, server);
    await assert.rejects(clone(`https://127.0.0.1:${port}/x.git`, 'main'), { reason: 'CloneFailed' });
  });
});
