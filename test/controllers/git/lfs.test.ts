/** Files in Git LFS: from a real https server on loopback, which the host of the repository names. */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';
import { extract } from 'tar-stream';
import { repositoryContext } from '../../../controllers/build/repository-context.ts';
import type { Checkout } from '../../../controllers/git/clone.ts';
import { parsePointer } from '../../../controllers/git/lfs-pointer.ts';
import { startGitHost, type GitHost } from '../../support/git-host.ts';
import { startLfsServer, type LfsServer } from '../../support/lfs-server.ts';
import { project } from './scene.ts';

let host: GitHost;
before(async () => {
  host = await startGitHost();
});
after(() => host.stop());

const token = { authorization: 'Bearer of-the-host' };

/** A repository that keeps a file in LFS. */
async function world(t: TestContext, content = 'a large file') {
  const lfs = await startLfsServer(t);
  await host.keepLfsAt({ href: lfs.url, header: token });
  const branch = `b${lfs.url.split(':').at(-1) ?? ''}`;
  await host.commit('app', { Dockerfile: 'FROM x', 'media/large.bin': lfs.keep(content) }, { branch });
  const { clone, log, left } = await project(t, host);
  return { lfs, log, left, clone: () => clone(host.url('app'), branch) };
}

/** Path → content of what a build gets. */
async function contentsOf(checkout: Checkout): Promise<Record<string, string>> {
  const { stream } = await repositoryContext(checkout, { dockerfilePath: 'Dockerfile', contextPath: '.' });
  const found: Record<string, string> = {};
  for await (const entry of stream.pipe(extract())) {
    const content = await text(entry);
    if (entry.header.type === 'file') found[entry.header.name] = content;
  }
  return found;
}

describe('files in LFS', () => {
  it('are in the build in the place of their pointers', async (t) => {
    const { lfs, log, clone } = await world(t, 'x'.repeat(300_000));
    const contents = await contentsOf(await clone());
    assert.deepEqual(contents, { Dockerfile: 'FROM x', 'media/large.bin': 'x'.repeat(300_000) });
    assert.deepEqual(
      lfs.requests.map(({ headers }) => headers.authorization),
      [token.authorization, 'Bearer of-the-file'],
    );
    assert.ok(log.some((line) => /^Fetching 1 LFS file/.test(line)));
    assert.equal(log.join().includes('Bearer'), false);
  });

  it('are fetched along a redirect, without the token of the one who redirects', async (t) => {
    const { lfs, clone } = await world(t);
    const other = await startLfsServer(t);
    other.keep('a large file');
    lfs.hrefOf = (oid) => {
      lfs.answers.set('/away', { status: 302, headers: { location: other.hrefOf(oid) } });
      return `${lfs.url}/away`;
    };
    assert.equal((await contentsOf(await clone()))['media/large.bin'], 'a large file');
    assert.equal(other.requests[0]?.headers.authorization, undefined);
  });

  for (const [what, change, message] of [
    [
      'at an address that is closed',
      (lfs: LfsServer) => (lfs.hrefOf = () => 'https://169.254.169.254/x'),
      /never fetches from/,
    ],
    ['over plain http', (lfs: LfsServer) => (lfs.hrefOf = () => 'http://127.0.0.1/x'), /is no https address/],
    [
      'at the end of a redirect to one that is closed',
      (lfs: LfsServer) => {
        lfs.answers.set('/away', { status: 302, headers: { location: 'https://[::1]/x' } });
        lfs.hrefOf = () => `${lfs.url}/away`;
      },
      /never fetches from/,
    ],
    [
      'that are other files',
      (lfs: LfsServer) => {
        const oid = parsePointer(Buffer.from(lfs.keep('another file')))?.oid ?? '';
        lfs.hrefOf = () => `${lfs.url}/files/${oid}`;
      },
      /gave out another file/,
    ],
  ] as const) {
    it(`${what} are refused, and nothing stays behind`, async (t) => {
      const { lfs, clone, left } = await world(t);
      change(lfs);
      await assert.rejects(clone(), { reason: 'CloneFailed', message });
      assert.deepEqual(await left(), []);
    });
  }

  it('that nobody has, or that the host knows nothing of, are told', async (t) => {
    const { lfs, clone } = await world(t);
    lfs.answers.set('/objects/batch', { status: 404, headers: {} });
    await assert.rejects(clone(), { message: /The LFS server 127\.0\.0\.1 answers with status 404/ });
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 7\n`;
    await host.commit('app', { Dockerfile: 'x', 'large.bin': pointer }, { branch: 'lost' });
    const { clone: other } = await project(t, host);
    lfs.answers.clear();
    await assert.rejects(other(host.url('app'), 'lost'), { message: /has no file 000000000000…/ });
  });
});
