import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Problem } from '../../../specs/problem.ts';
import type { Page, VolumeResource } from '../../../specs/resources.ts';
import { bearer, giveMember, giveService, testApi } from '../../support/api.ts';
import { aDeployment, anId, aReplica, aVolume, given } from '../../support/store.ts';

const volumes = [{ name: 'data', mount: '/data' }];

async function world(t: TestContext) {
  const api = await testApi(t);
  const { project, service } = await giveService(api);
  const row = aVolume({ owner: project.id, spec: { project_id: project.id, service: service.name } });
  await given(api.store, row);
  const url = `/v1/projects/${project.id}/volumes/${row.id}`;
  const destroy = (confirm = row.name) => api.call('DELETE', `${url}?confirm=${confirm}`);
  const workload = { ...aDeployment().spec.workload, volumes };
  const deployment = aDeployment({
    owner: service.id,
    spec: { service_id: service.id, project_id: project.id, workload },
    status: { phase: 'Healthy', image: 'sha256:1' },
  });
  const deploy = async (running: boolean): Promise<void> => {
    await given(api.store, deployment);
    const rollout = { target: deployment.id, running, epoch: 0, configured: null };
    await api.store.write((writer) =>
      writer.updateSpec('Service', service.id, (spec) => ({ ...spec, rollout })),
    );
  };
  return { api, project, service, row, url, destroy, deployment, deploy };
}

describe('/v1/projects/{id}/volumes', () => {
  it('tells of the volumes of a project, and whose they are', async (t) => {
    const { api, project, row, url } = await world(t);
    const one = (await api.call('GET', url)).json<VolumeResource>();
    assert.deepEqual([one.name, one.service, one.volume, one.deleting], ['web.data', 'web', 'data', false]);
    const list = (await api.call('GET', `/v1/projects/${project.id}/volumes`)).json<Page<VolumeResource>>();
    assert.deepEqual(list, { items: [one], next_cursor: null });
    assert.equal(row.name, 'web.data');
  });

  it('destroys one whose name is typed, and only then', async (t) => {
    const { api, row, url, destroy } = await world(t);
    assert.equal((await api.call('DELETE', url)).status, 422);
    const wrong = await destroy('web');
    assert.equal(wrong.status, 422);
    assert.deepEqual(
      wrong.json<Problem>().errors?.map(({ path }) => path),
      ['/confirm'],
    );
    assert.equal((await api.store.get('Volume', row.id))?.deleted_at, null);
    const done = await destroy();
    assert.deepEqual([done.status, done.json<VolumeResource>().deleting], [202, true]);
    assert.equal((await destroy()).status, 202, 'asking again changes nothing');
  });

  it('keeps one that a service runs with, or that is still being let go', async (t) => {
    const { api, row, destroy, deployment, deploy } = await world(t);
    await deploy(true);
    const refused = await destroy();
    assert.equal(refused.status, 409);
    assert.match(refused.json<Problem>().detail, /The service web uses the volume web\.data\. Stop it first/);
    await api.store.write((writer) =>
      writer.updateSpec('Service', deployment.spec.service_id, (spec) => ({
        ...spec,
        rollout: { ...spec.rollout, running: false },
      })),
    );
    const leaving = aReplica({
      owner: deployment.id,
      deleted_at: '2030-01-01T00:00:00.000Z',
      spec: { deployment_id: deployment.id, service_id: deployment.spec.service_id },
    });
    await given(api.store, leaving);
    assert.equal((await destroy()).status, 409);
    await api.store.write((writer) => writer.purge('Replica', leaving.id));
    assert.equal((await destroy()).status, 202);
    assert.notEqual((await api.store.get('Volume', row.id))?.deleted_at, null);
  });

  it('lets an Operator of the project look, and an Admin destroy', async (t) => {
    const { api, project, url, row } = await world(t);
    const operator = bearer((await giveMember(api, 'olga', { [project.id]: 'Operator' })).token);
    assert.equal((await api.call('GET', url, undefined, operator)).status, 200);
    const refused = await api.call('DELETE', `${url}?confirm=${row.name}`, undefined, operator);
    assert.equal(refused.status, 403);
    await api.call('POST', '/v1/projects', { name: 'blog' });
    assert.equal((await api.call('GET', `/v1/projects/blog/volumes/${row.id}`)).status, 404);
    assert.equal((await api.call('GET', `/v1/projects/blog/volumes/${anId('volume', 9)}`)).status, 404);
  });

  it('keeps a project that has data, also against a cascade', async (t) => {
    const { api, project, destroy } = await world(t);
    const refused = await api.call('DELETE', `/v1/projects/${project.id}?cascade=true`);
    assert.equal(refused.status, 409);
    assert.match(refused.json<Problem>().detail, /web\.data[^]*svc volumes destroy web\.data -p shop/);
    assert.equal((await destroy()).status, 202);
    assert.equal((await api.call('DELETE', `/v1/projects/${project.id}?cascade=true`)).status, 202);
  });
});
