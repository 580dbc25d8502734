/** Clones over https from a real git-http-backend behind TLS, and what each way in which such a host fails is called. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, describe, it, type TestContext } from 'node:test';
import { systemClock } from '../../../controllers/runtime/system-clock.ts';
import type { Clock } from '../../../specs/clock.ts';
import { startGitHost, type GitHost } from '../../support/git-host.ts';
import { startGitHttpsHost, type GitHttpsHost, type Misbehaviour } from '../../support/git-https.ts';
import { listen, namesIn, project } from './scene.ts';

let ssh: GitHost;
let host: GitHttpsHost;
before(async () => {
  [ssh, host] = await Promise.all([startGitHost(), startGitHttpsHost()]);
});
after(() => Promise.all([ssh.stop(), host.stop()]));

const trusting = (t: TestContext) => project(t, ssh, { certificateFile: host.authority });

describe('a clone over https', () => {
  it('is of a branch, a tag, and a commit, whole or shortened, with submodules', async (t) => {
    const lib = await host.commit('lib', { 'lib.txt': 'l' });
    const submodules = { lib: { url: '../lib.git', commit: lib } };
    const first = await host.commit('app', { Dockerfile: 'FROM busybox' }, { tag: 'v1', submodules });
    const second = await host.commit('app', { Dockerfile: 'FROM busybox', more: '2' });
    const { clone, left } = await trusting(t);
    const whole = ['.gitmodules', 'Dockerfile', 'lib/', 'lib/lib.txt'];
    for (const [ref, commit, names] of [
      ['main', second, ['Dockerfile', 'more']],
      ['v1', first, whole],
      [first, first, whole],
      [first.slice(0, 8), first, whole],
    ] as const) {
      const checkout = await clone(host.url('app'), ref);
      assert.equal(checkout.commit, commit, ref);
      assert.deepEqual(await namesIn(checkout.archives), names);
      await checkout.remove();
      assert.deepEqual(await left(), []);
    }
  });

  it('goes to the address that was judged, whatever the host is called', async (t) => {
    await host.commit('app', { Dockerfile: 'FROM busybox' });
    const { clone } = await project(t, ssh, {
      certificateFile: host.authority,
      lookup: () => Promise.resolve(['127.0.0.1']),
    });
    await clone(host.url('app', 'localhost'), 'main');
  });

  it('is refused from a host whose authority the node does not know, or that has a certificate for another name', async (t) => {
    await host.commit('app', { Dockerfile: 'FROM busybox' });
    const strict = await project(t, ssh);
    await assert.rejects(strict.clone(host.url('app'), 'main'), {
      reason: 'CloneFailed',
      message: /certificate of the Git host 127\.0\.0\.1 cannot be trusted.*update-ca-certificates/,
    });
    const elsewhere = { certificateFile: host.authority, lookup: () => Promise.resolve(['127.0.0.1']) };
    const { clone } = await project(t, ssh, elsewhere);
    await assert.rejects(clone(host.url('app', 'git.example.com'), 'main'), {
      reason: 'CloneFailed',
      message: /certificate of the Git host git\.example\.com cannot be trusted.*another name/,
    });
  });
});

const status =
  (code: number, headers: Record<string, string> = {}): Misbehaviour =>
  (_, response) =>
    void response.writeHead(code, headers).end('<html>no</html>\n');

/** How a host fails → what is said of it. */
const failures: [name: string, wrong: Misbehaviour, message: RegExp][] = [
  ['moved', status(301, { location: '/app.git' }), /sends elsewhere \(a redirect\).*own address/],
  ['found', status(302, { location: 'https://169.254.169.254/' }), /sends elsewhere \(a redirect\)/],
  [
    'private',
    status(401, { 'www-authenticate': 'Basic realm="git"' }),
    /no such repository, or it is private.*deploy-key generate.*git@127\.0\.0\.1:private\.git/,
  ],
  ['closed', status(403), /no such repository, or it is private/],
  ['nothing', status(404), /no such repository/],
  ['busy', status(429, { 'retry-after': '7' }), /takes no more requests for now.*deploy again later/],
  ['broken', status(503), /has trouble of its own \(status 503\).*deploy again later/],
  ['page', (_, response) => void response.end('<!doctype html>\n<p>hello</p>\n'), /is no Git repository/],
  ['reset', (_, response) => void response.destroy(), /broke off the connection.*[Dd]eploy again/],
  [
    'half',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      response.write('001e# service=git-upload-pack\n', () => response.destroy());
    },
    /broke off the connection/,
  ],
];

describe('a host of https that fails', () => {
  for (const [name, wrong, message] of failures) {
    it(`(${name}) is told apart`, async (t) => {
      host.behave(name, wrong);
      const { clone, left } = await trusting(t);
      await assert.rejects(clone(host.url(name), 'main'), {
        name: 'GitError',
        reason: 'CloneFailed',
        message,
      });
      assert.deepEqual(await left(), []);
    });
  }

  it('in the middle of what it sends', async (t) => {
    await host.commit('large', { 'large.txt': 'x'.repeat(1000) });
    let posts = 0;
    // It is asked for names twice, and then for the pack.
    host.behave('large', ({ method }, response, serve) => {
      if (method !== 'POST' || ++posts < 3) serve();
      else {
        response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
        response.write('000dpackfile\n0011\u0001PACK\0\0\0\u0002\0\0\0\u0003', () => response.destroy());
      }
    });
    const { clone, left } = await trusting(t);
    await assert.rejects(clone(host.url('large'), 'main'), { reason: 'CloneFailed', message: /broke off/ });
    assert.equal(posts, 3);
    assert.deepEqual(await left(), []);
  });

  it('by saying nothing, at once or in the handshake, is given up after a minute', async (t) => {
    const silent = await listen(t, createServer());
    host.behave('silent', () => undefined);
    // A minute of theirs is a second and a half.
    const hurried: Clock = { ...systemClock, after: (ms, fn) => systemClock.after(ms / 40, fn) };
    const { clone, left } = await project(t, ssh, { certificateFile: host.authority, clock: hurried });
    for (const url of [host.url('silent'), `https://127.0.0.1:${silent}/x.git`])
      await assert.rejects(clone(url, 'main'), {
        reason: 'CloneTimedOut',
        message: /The Git host 127\.0\.0\.1 .*within 60 s/,
      });
    assert.deepEqual(await left(), []);
  });
});
