import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { DeployKeyResource } from '../../../specs/resources.ts';
import { bearer, giveMember, giveService, testApi } from '../../support/api.ts';
import { inspectKey, makeKey } from '../../support/ssh-keygen.ts';

async function given(t: TestContext) {
  const api = await testApi(t);
  const { project } = await giveService(api);
  const url = `/v1/projects/${project.id}/deploy-key`;
  const sealed = async (): Promise<string> => {
    const row = await api.store.find('DeployKey', project.id, 'deploy-key');
    const { id = '', spec } = row ?? {};
    const version = spec?.private_key_version ?? 0;
    return api.store.vault.open({ kind: 'deploy-key', owner: id, name: '', version });
  };
  return { api, project, url, sealed };
}

describe('/v1/projects/{id}/deploy-key', () => {
  it('takes a private key and answers the public half', async (t) => {
    const { api, project, url, sealed } = await given(t);
    const { private_key, public_key } = await makeKey(t, '-t ecdsa');
    const made = await api.call('POST', url, { private_key });
    assert.equal(made.status, 201, made.text);
    const key = made.json<DeployKeyResource>();
    const { id, created_at, updated_at, fingerprint } = key;
    assert.match(id, /^key_/);
    assert.deepEqual(key, {
      ...{ id, project_id: project.id, type: 'ecdsa-sha2-nistp256', bits: 256, fingerprint },
      ...{ public_key: public_key.replace('me@home', 'svc:shop'), created_at, updated_at },
    });
    const said = await inspectKey(t, await sealed());
    assert.deepEqual(said.listed, `256 ${fingerprint} svc:shop (ECDSA)`);
    const read = await api.call('GET', '/v1/projects/shop/deploy-key');
    assert.deepEqual([read.json(), read.headers.etag], [key, made.headers.etag]);
    const everything = [made.text, read.text, api.log()].join();
    for (const text of [private_key, await sealed()]) {
      // The private number comes last, after two copies of the public half.
      const line = text.trim().split('\n').at(-2) ?? text;
      assert.equal(everything.includes(line.slice(0, 20)), false);
    }
  });

  it('is replaced as a whole', async (t) => {
    const { api, project, url, sealed } = await given(t);
    const [first, second] = [await makeKey(t, '-t ed25519'), await makeKey(t, '-t ed25519')];
    const made = await api.call('POST', url, { private_key: first.private_key });
    const stale = await api.call('POST', url, { private_key: second.private_key }, { 'if-match': '"9"' });
    assert.equal(stale.status, 412);
    const again = await api.call('POST', url, { private_key: second.private_key });
    assert.deepEqual(
      [again.status, again.json<DeployKeyResource>().id],
      [200, made.json<DeployKeyResource>().id],
    );
    assert.equal(
      (await inspectKey(t, await sealed())).public_key,
      again.json<DeployKeyResource>().public_key,
    );
    assert.deepEqual(api.store.vault.secretsOf(project.id), [await sealed()]);
  });

  it('is made on the node, but never over one that is there', async (t) => {
    const { api, url, sealed } = await given(t);
    const made = await api.call('POST', `${url}/generate`);
    assert.equal(made.status, 201, made.text);
    const key = made.json<DeployKeyResource>();
    assert.equal((await inspectKey(t, await sealed())).public_key, key.public_key);
    const again = await api.call('POST', `${url}/generate`);
    assert.equal(again.status, 409);
    assert.match(again.problem().detail, /has a deploy key already\. Delete it first/);
    assert.deepEqual((await api.call('GET', url)).json(), key);
  });

  it('goes with its private half', async (t) => {
    const { api, project, url } = await given(t);
    const none = await api.call('GET', url);
    assert.equal(none.status, 404);
    assert.match(none.problem().detail, /svc projects deploy-key generate shop/);
    assert.equal((await api.call('DELETE', url)).status, 404);
    const { id } = (await api.call('POST', `${url}/generate`)).json<DeployKeyResource>();
    assert.equal((await api.call('DELETE', url, undefined, { 'if-match': '"9"' })).status, 412);
    assert.equal((await api.call('DELETE', url)).status, 204);
    assert.deepEqual(await api.store.vault.list(id, 'deploy-key'), []);
    assert.deepEqual(api.store.vault.secretsOf(project.id), []);
    assert.equal((await api.call('GET', url)).status, 404);
  });

  it('refuses what is no key to use, and keeps no word of it', async (t) => {
    const { api, url } = await given(t);
    const locked = (await makeKey(t, '-t ed25519', 'correct horse')).private_key;
    for (const [private_key, message] of [
      [locked, /^has a passphrase/],
      ['hunter2 hunter2', /^is no private key in PEM or OpenSSH format/],
      ['x'.repeat(16_385), /at most 16384/],
      ['', /must not be empty/],
    ] as const) {
      const answer = await api.call('POST', url, { private_key });
      assert.equal(answer.status, 422, answer.text);
      const [error, ...others] = answer.problem().errors ?? [];
      assert.deepEqual([error?.path, others], ['/private_key', []]);
      assert.match(error?.message ?? '', message);
      assert.equal(answer.text.includes('hunter2'), false);
    }
    assert.equal(api.log().includes(locked.split('\n')[1] ?? 'nothing'), false);
    assert.deepEqual(await api.store.list('DeployKey'), []);
  });

  it('is for Operators only', async (t) => {
    const { api, project, url } = await given(t);
    const viewer = bearer((await giveMember(api, 'vera', { [project.id]: 'Viewer' })).token);
    for (const [method, path] of [
      ['GET', url],
      ['POST', `${url}/generate`],
      ['DELETE', url],
    ] as const)
      assert.equal((await api.call(method, path, undefined, viewer)).status, 403);
  });
});
