/** Git sources over https on a real node: from a host with an authority of its own, which the node's environment names. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import { serving } from '../support/apps.ts';
import { startGitHttpsHost, type GitHttpsHost } from '../support/git-https.ts';
import { must, startNode, type TestNode } from '../support/node.ts';
import { createService, deploymentsOf } from '../support/node-api.ts';

let host: GitHttpsHost;
let stranger: GitHttpsHost;
let node: TestNode;
let site: ServiceResource;

before(async () => {
  [host, stranger] = await Promise.all([startGitHttpsHost(), startGitHttpsHost()]);
  // The node gets the environment of this process.
  process.env['SSL_CERT_FILE'] = host.authority;
  node = await startNode(['--fetch-allow', '127.0.0.1/32']);
  site = await createService(node, { name: 'site' });
});

after(async () => {
  await node.stop();
  await Promise.all([host.stop(), stranger.stop()]);
});

const push = (url: string, ref: string) =>
  node.svc(['push', '--git', url, '--ref', ref, '-p', 'demo', '-s', 'site']);
const served = async () => (await node.get('site.demo.localhost')).text.trim();
const newest = async (): Promise<DeploymentResource> => {
  const [deployment] = await deploymentsOf(node, site);
  assert.ok(deployment);
  return deployment;
};

describe('a Git source over https', () => {
  it('is built and served at each name that it has: branch, tag, commit', async () => {
    const commit = (content: string, options = {}) =>
      host.commit('site', { Dockerfile: serving, 'www/index.html': content }, options);
    const first = await commit('one', { tag: 'v1.0' });
    const second = await commit('two', { branch: 'feature/new-look' });
    await host.git('site', ['tag', 'light', second]);
    const third = await commit('three');
    for (const [ref, content, at] of [
      ['main', 'three', third],
      ['v1.0', 'one', first],
      ['feature/new-look', 'two', second],
      ['light', 'two', second],
      ['refs/tags/v1.0', 'one', first],
      [third.slice(0, 9), 'three', third],
      [first, 'one', first],
    ] as const) {
      const { stdout, stderr } = await must(push(host.url('site'), ref));
      assert.equal(await served(), content, ref);
      assert.equal((await newest()).commit, at, ref);
      assert.ok(`${stdout}${stderr}`.includes(`Commit ${at}`));
    }
  });

  it('has its files of LFS from there, for the same authority vouches', async () => {
    const file = 'from lfs';
    const oid = createHash('sha256').update(file).digest('hex');
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${file.length}\n`;
    await host.commit('large', { Dockerfile: serving, 'www/index.html': pointer });
    host.behave('large', ({ url = '' }, response, serve) => {
      const href = `${host.url('large')}/file`;
      if (url.endsWith('/info/lfs/objects/batch'))
        response.end(
          JSON.stringify({ objects: [{ oid, size: file.length, actions: { download: { href } } }] }),
        );
      else if (url.endsWith('/file')) response.end(file);
      else serve();
    });
    await must(push(host.url('large'), 'main'));
    assert.equal(await served(), file);
  });

  it('that is private, moved, away or vouched for by nobody ends in a verdict, and what served goes on', async () => {
    host.behave(
      'private',
      (_, response) => void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end(),
    );
    host.behave('moved', (_, response) => void response.writeHead(301, { location: '/site.git' }).end());
    await stranger.commit('site', { Dockerfile: serving, 'www/index.html': 'strange' });
    for (const [url, ref, message] of [
      [
        host.url('private'),
        'main',
        /is private: then give the project a deploy key.*git@127\.0\.0\.1:private\.git/,
      ],
      [host.url('moved'), 'main', /sends elsewhere \(a redirect\)/],
      [
        stranger.url('site'),
        'main',
        /certificate of the Git host 127\.0\.0\.1 cannot be trusted.*SSL_CERT_FILE/,
      ],
      [host.url('site'), 'feature/none', /has no branch, tag or commit feature\/none: check its spelling/],
      [host.url('site'), 'abcdef0', /has no branch, tag or commit abcdef0, or the shortened name/],
    ] as const) {
      const { code, stderr } = await push(url, ref);
      assert.equal(code, 1);
      assert.match(stderr, message);
      assert.match(stderr, /\(CloneFailed\)/);
      assert.equal(await served(), 'from lfs');
    }
  });
});
