import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { DeploymentResource, Page, SecretResource, ServiceResource } from '../../../specs/resources.ts';
import { revisionOf } from '../../../specs/revision.ts';
import { bearer, giveDeployment, giveMember, giveService, giveUpload, testApi } from '../../support/api.ts';
import { promote, reach } from '../../support/released.ts';

const value = 'correct horse battery';

async function given(t: TestContext) {
  const api = await testApi(t);
  const { project, service } = await giveService(api);
  const url = `/v1/services/${service.id}/secrets`;
  const patch = (body: object, headers?: Record<string, string>) => api.call('PATCH', url, body, headers);
  const spec = async () => (await api.store.get('Service', service.id))?.spec;
  const open = (name: string, version: number) =>
    api.store.vault.open({ kind: 'env', owner: service.id, name, version });
  const versions = async () =>
    (await api.store.write((writer) => writer.sealedVersions(service.id, 'env')))
      .map(({ name, version }) => `${name}/${version}`)
      .sort();
  return { api, project, service, url, patch, spec, open, versions };
}

describe('PATCH /v1/services/{id}/secrets', () => {
  it('seals values, declares their names, and answers neither value nor box', async (t) => {
    const { api, patch, spec, open } = await given(t);
    const answer = await patch({ set: { KEY: value, TOKEN: 'another one' } });
    assert.equal(answer.status, 202, answer.text);
    const service = answer.json<ServiceResource>();
    assert.deepEqual([service.secrets, service.generation, service.env], [['KEY', 'TOKEN'], 2, {}]);
    assert.deepEqual((await spec())?.secrets, { KEY: 1, TOKEN: 1 });
    assert.equal(await open('KEY', 1), value);
    assert.equal(answer.text.includes(value), false);
    assert.equal(api.log().includes(value), false);
  });

  it('counts versions up, and makes none for the value that is there', async (t) => {
    const { patch, spec, open } = await given(t);
    await patch({ set: { KEY: value } });
    const same = await patch({ set: { KEY: value } });
    assert.deepEqual([same.status, same.json<ServiceResource>().generation], [202, 2]);
    await patch({ set: { KEY: `${value}!` } });
    assert.deepEqual((await spec())?.secrets, { KEY: 2 });
    assert.equal(await open('KEY', 2), `${value}!`);
  });

  it('takes a name away, value and all', async (t) => {
    const { api, patch, spec, versions, project } = await given(t);
    await patch({ set: { KEY: value, TOKEN: 'another one' } });
    assert.equal((await patch({ unset: ['KEY'], set: { NEW: 'something new' } })).status, 202);
    assert.deepEqual((await spec())?.secrets, { TOKEN: 1, NEW: 1 });
    assert.deepEqual(await versions(), ['NEW/1', 'TOKEN/1']);
    assert.equal(api.store.vault.secretsOf(project.id).includes(value), false);
  });

  for (const [what, body, path, message] of [
    ['nothing', {}, '', /fewer than 1/],
    ['a name in both', { set: { KEY: value }, unset: ['KEY'] }, '/unset/0', /is in set too/],
    [
      'a name that is none',
      { unset: ['TOKEM'] },
      '/unset/0',
      /no secret of this service; did you mean TOKEN\?/,
    ],
    ['the name of a built-in', { unset: ['constructor'] }, '/unset/0', /no secret/],
    ['a plain variable', { set: { PLAIN: value } }, '/set/PLAIN', /plain variable.*out of env/],
    ['PORT', { set: { PORT: '8080' } }, '/set/PORT', /set by svc itself/],
    [
      'a name that no variable has',
      { set: { 'a b': value } },
      '/set/a b',
      /no allowed name: letters, digits and underscores/,
    ],
    ['a value too short to keep out of logs', { set: { KEY: 'abc' } }, '/set/KEY', /at least 4/],
    ['a null character', { set: { KEY: `${value}\0` } }, '/set/KEY', /null character/],
    ['half a character', { set: { KEY: `${value}\udfff` } }, '/set/KEY', /half a character/],
    ['too many bytes', { set: { KEY: '…'.repeat(30_000) } }, '/set/KEY', /64 KiB/],
  ] as const) {
    it(`refuses ${what}, without its value, and keeps everything as it was`, async (t) => {
      const { api, service, patch, spec, versions } = await given(t);
      await api.call('PATCH', `/v1/services/${service.id}`, { env: { PLAIN: 'x' } });
      await patch({ set: { TOKEN: 'another one' } });
      const before = await spec();
      const answer = await patch(body);
      assert.equal(answer.status, 422, answer.text);
      const { errors = [], detail } = answer.problem();
      assert.deepEqual([errors.length, errors[0]?.path], [1, path]);
      assert.match(errors[0]?.message ?? '', message);
      assert.equal(`${detail}${answer.text}`.includes('correct'), false);
      assert.deepEqual(await spec(), before);
      assert.deepEqual(await versions(), ['TOKEN/1']);
    });
  }

  it('refuses more names than a service has', async (t) => {
    const { patch, spec } = await given(t);
    const names = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`K${from + index}`, value]));
    assert.equal((await patch({ set: names(0, 499) })).status, 202);
    assert.deepEqual((await patch({ set: names(499, 2) })).problem().errors?.[0]?.path, '/set');
    assert.equal((await patch({ set: names(499, 2), unset: ['K0'] })).status, 202);
    assert.equal(Object.keys((await spec())?.secrets ?? {}).length, 500);
  });

  it('refuses more bytes than a service takes, and lets what is over the limit shrink', async (t) => {
    const { api, patch, spec, versions } = await given(t);
    const long = (character: string) => character.repeat(65_536);
    const names = Array.from({ length: 16 }, (_, index) => `K${index}`);
    assert.equal(
      (await patch({ set: Object.fromEntries(names.slice(0, 8).map((n) => [n, long('a')])) })).status,
      202,
    );
    assert.equal(
      (await patch({ set: Object.fromEntries(names.slice(8).map((n) => [n, long('b')])) })).status,
      202,
    );
    const [before, kept] = [await spec(), await versions()];
    const answer = await patch({ set: { MORE: value } });
    assert.deepEqual([answer.status, answer.problem().code], [413, 'too_large']);
    assert.match(answer.problem().detail, /would have 1025 KiB together; it takes at most 1024 KiB/);
    assert.deepEqual([await spec(), await versions()], [before, kept]);
    assert.equal(api.log().includes(value), false);
    assert.equal((await patch({ set: { MORE: value }, unset: ['K0'] })).status, 202);
  });

  it('is guarded by If-Match, before anything is sealed', async (t) => {
    const { api, service, patch, versions } = await given(t);
    const etag = String((await api.call('GET', `/v1/services/${service.id}`)).headers.etag);
    const answer = await patch({ set: { KEY: value } }, { 'if-match': etag });
    assert.equal(answer.status, 202);
    assert.notEqual(answer.headers.etag, etag);
    assert.equal((await patch({ set: { OTHER: value } }, { 'if-match': etag })).status, 412);
    assert.deepEqual(await versions(), ['KEY/1']);
  });
});

describe('versions of secrets', () => {
  it('stay as long as a deployment may run with them', async (t) => {
    const { api, service, patch, versions } = await given(t);
    await patch({ set: { KEY: 'the first value' } });
    const first = await giveDeployment(api, service.id);
    await patch({ set: { KEY: 'the second value' } });
    const second = await giveDeployment(api, service.id);
    assert.deepEqual(await versions(), ['KEY/1', 'KEY/2']);
    await promote(api, second, first.id);
    await reach(api, first, 'Inactive');
    await patch({ set: { KEY: 'the third value' } });
    assert.deepEqual(await versions(), ['KEY/1', 'KEY/2', 'KEY/3']);

    await reach(api, first, 'Inactive', { image: null });
    await patch({ set: { OTHER: value } });
    assert.deepEqual(await versions(), ['KEY/2', 'KEY/3', 'OTHER/1']);
    await patch({ unset: ['KEY'] });
    assert.deepEqual(await versions(), ['KEY/2', 'OTHER/1']);
    await reach(api, second, 'Failed');
    await api.call('PATCH', `/v1/services/${service.id}`, { secrets: [] });
    assert.deepEqual(await versions(), []);
  });

  it('are never given twice to different values', async (t) => {
    const { api, service, patch, spec, versions } = await given(t);
    await patch({ set: { KEY: 'the first value' } });
    await reach(api, await giveDeployment(api, service.id), 'Failed');
    await patch({ unset: ['KEY'] });
    assert.deepEqual(await versions(), []);
    await patch({ set: { KEY: 'the second value' } });
    assert.deepEqual((await spec())?.secrets, { KEY: 2 });
  });
});

describe('GET /v1/services/{id}/secrets', () => {
  it('lists names and since when they have their values, page by page', async (t) => {
    const { api, url, service, patch } = await given(t);
    await api.call('PATCH', `/v1/services/${service.id}`, { secrets: ['Z', 'B'] });
    await api.clock.advance(1000);
    await patch({ set: { A: value, B: 'another one' } });
    const first = (await api.call('GET', `${url}?limit=2`)).json<Page<SecretResource>>();
    const updated_at = first.items[0]?.updated_at ?? '';
    assert.equal(Date.parse(updated_at), api.clock.now());
    assert.deepEqual(first.items, [
      { name: 'A', version: 1, updated_at },
      { name: 'B', version: 1, updated_at },
    ]);
    const next = await api.call('GET', `${url}?limit=2&cursor=${first.next_cursor ?? ''}`);
    assert.deepEqual(next.json(), {
      items: [{ name: 'Z', version: null, updated_at: null }],
      next_cursor: null,
    });
    assert.equal((await api.call('GET', `${url}?cursor=%00`)).status, 422);
  });

  it('shows a Viewer the names, of plain variables too, and no value', async (t) => {
    const { api, project, service, url, patch } = await given(t);
    await api.call('PATCH', `/v1/services/${service.id}`, { env: { PLAIN: 'plain as day' } });
    await patch({ set: { KEY: value } });
    const viewer = bearer((await giveMember(api, 'vera', { [project.id]: 'Viewer' })).token);
    const operator = bearer((await giveMember(api, 'otto', { [project.id]: 'Operator' })).token);
    const envOf = async (path: string, headers: Record<string, string>) => {
      const body = (await api.call('GET', path, undefined, headers)).json<
        ServiceResource & Page<ServiceResource>
      >();
      return (path.includes('?') ? body.items[0] : body)?.env;
    };
    for (const path of [`/v1/services/${service.id}`, '/v1/services?name=web']) {
      assert.deepEqual(await envOf(path, viewer), { PLAIN: '***' });
      assert.deepEqual(await envOf(path, operator), { PLAIN: 'plain as day' });
    }
    const listed = await api.call('GET', url, undefined, viewer);
    assert.equal(listed.json<Page<SecretResource>>().items[0]?.name, 'KEY');
    assert.equal((await api.call('PATCH', url, { unset: ['KEY'] }, viewer)).status, 403);
    assert.equal((await api.call('PATCH', url, { unset: ['KEY'] }, operator)).status, 202);
  });
});

describe('a deployment', () => {
  it('freezes the versions, and is what was last asked for', async (t) => {
    const { api, service, patch, spec } = await given(t);
    await patch({ set: { KEY: value } });
    const { id } = await giveDeployment(api, service.id);
    const workload = (await api.store.get('Deployment', id))?.spec.workload;
    assert.deepEqual(workload?.secrets, { KEY: 1 });
    assert.equal((await spec())?.rollout.configured, revisionOf(workload));
  });

  it('is refused while a secret has no value, and says which and how', async (t) => {
    const { api, service, patch } = await given(t);
    await api.call('PATCH', `/v1/services/${service.id}`, { secrets: ['KEY', 'A_KEY'] });
    const { upload_id } = await giveUpload(api, service.id);
    const deploy = () => api.call('POST', '/v1/deployments', { service_id: service.id, upload_id });
    const refused = await deploy();
    assert.equal(refused.status, 409);
    assert.match(refused.problem().detail, /no value yet: A_KEY, KEY\. .*svc secrets set web/);
    assert.deepEqual(await api.store.list('Deployment'), []);
    await patch({ set: { KEY: value, A_KEY: 'another one' } });
    assert.equal((await deploy()).status, 202);
  });

  it('that is rolled back to is not undone by what the service says now', async (t) => {
    const { api, service, patch, spec } = await given(t);
    await patch({ set: { KEY: 'the first value' } });
    const first = await giveDeployment(api, service.id);
    await patch({ set: { KEY: 'the second value' } });
    const second = await giveDeployment(api, service.id);
    await promote(api, second, first.id);
    await reach(api, first, 'Inactive');
    await patch({ set: { KEY: 'the third value' } });
    const back = await api.call('POST', `/v1/services/${service.id}/rollback`);
    assert.equal(back.status, 202, back.text);
    const frozen = (await api.store.get('Deployment', second.id))?.spec.workload;
    const rollout = (await spec())?.rollout;
    assert.equal(rollout?.target, first.id);
    assert.equal(rollout.configured, revisionOf({ ...frozen, secrets: { KEY: 3 } }));
    assert.equal((await api.call('GET', `/v1/deployments/${first.id}`)).json<DeploymentResource>().number, 1);
  });
});
