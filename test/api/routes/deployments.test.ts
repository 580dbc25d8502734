import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../../specs/meta.ts';
import type { DeploymentResource, Page, ServiceResource } from '../../../specs/resources.ts';
import { randomBytes } from 'node:crypto';
import { revisionOf } from '../../../specs/revision.ts';
import { giveDeployment, giveService, giveUpload, testApi, type TestApi } from '../../support/api.ts';

describe('POST /v1/deployments', () => {
  it('answers a Pending deployment and makes it the target', async (t) => {
    const api = await testApi(t);
    const { service, project } = await giveService(api);
    const { upload_id } = await giveUpload(api, service.id);
    const made = await api.call('POST', '/v1/deployments', { service_id: service.id, upload_id });
    assert.equal(made.status, 202);
    const { id, created_at, updated_at, ...rest } = made.json<DeploymentResource>();
    assert.match(id, /^dep_/);
    assert.equal(created_at, updated_at);
    const { port, listen, health, env, resources } = service;
    const workload = { port, listen, health, env, secrets: {}, resources };
    assert.deepEqual(rest, {
      ...workload,
      ...{ command: null, volumes: [], commit: null, digest: null, receipt: null, watched_until: null },
      rollback: { possible: false, reason: 'Deployment 1 is under way already.' },
      ...{
        generation: 1,
        observed_generation: 0,
        deleting: false,
        conditions: [],
        service_id: service.id,
        number: 1,
      },
      ...{ status: 'Pending', reason: 'Queued', message: 'Waiting to be built.', image: null, reuse: null },
      source: { upload: { upload_id, dockerfile_path: 'Dockerfile', context_path: '.' } },
      ...{ promoted: false, promoted_at: null, epoch: null, failed_epoch: null, replicas: [] },
    });

    const row = await api.store.get('Deployment', id);
    assert.deepEqual(row?.spec.workload, workload);
    assert.deepEqual([row.owner, row.spec.project_id, row.spec.stopped], [service.id, project.id, false]);
    const rollout = (await api.store.get('Service', service.id))?.spec.rollout;
    assert.deepEqual(rollout, { target: id, running: true, epoch: 0, configured: revisionOf(workload) });
  });

  it('numbers them within the service', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const other = (
      await api.call('POST', '/v1/services', { project: 'shop', name: 'api', port: 1 })
    ).json<ServiceResource>();
    const numbers = [];
    for (const id of [service.id, other.id, service.id, service.id])
      numbers.push((await giveDeployment(api, id)).number);
    assert.deepEqual(numbers, [1, 1, 2, 3]);
  });

  it('numbers them right when several come at once', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const all = await Promise.all([1, 2, 3, 4].map(() => giveDeployment(api, service.id)));
    assert.deepEqual(all.map(({ number }) => number).sort(), [1, 2, 3, 4]);
    const last = all.find(({ number }) => number === 4);
    assert.equal((await api.store.get('Service', service.id))?.spec.rollout.target, last?.id);
  });

  it('freezes the paths, normalised', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const { upload_id } = await giveUpload(api, service.id);
    const body = {
      service_id: service.id,
      upload_id,
      dockerfile_path: './docker//Dockerfile.prod',
      context_path: 'app/',
    };
    const { source } = (await api.call('POST', '/v1/deployments', body)).json<DeploymentResource>();
    assert.deepEqual(source, {
      upload: { upload_id, dockerfile_path: 'docker/Dockerfile.prod', context_path: 'app' },
    });
  });

  it('refuses bad paths and an upload that is not its own, all at once, and changes nothing', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const other = (
      await api.call('POST', '/v1/services', { project: 'shop', name: 'api', port: 1 })
    ).json<ServiceResource>();
    const foreign = await giveUpload(api, other.id);
    for (const upload_id of [foreign.upload_id, 'upl_none', service.id]) {
      const body = { service_id: service.id, upload_id, dockerfile_path: '../Dockerfile', context_path: '/' };
      const answer = await api.call('POST', '/v1/deployments', body);
      assert.equal(answer.status, 422);
      assert.deepEqual(
        answer.problem().errors?.map(({ path }) => path),
        ['/dockerfile_path', '/context_path', '/upload_id'],
      );
    }
    assert.deepEqual(await api.store.list('Deployment'), []);
    assert.equal((await api.store.get('Service', service.id))?.spec.rollout.target, null);
  });

  it('refuses a service that is not there or is going away', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const { upload_id } = await giveUpload(api, service.id);
    assert.equal(
      (await api.call('POST', '/v1/deployments', { service_id: 'svc_none', upload_id })).status,
      404,
    );
    await api.store.write((writer) => writer.markDeleted('Service', service.id));
    assert.equal(
      (await api.call('POST', '/v1/deployments', { service_id: service.id, upload_id })).status,
      409,
    );
  });
});

describe('GET /v1/deployments', () => {
  it('is narrowed by service and status, newest first', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const other = (
      await api.call('POST', '/v1/services', { project: 'shop', name: 'api', port: 1 })
    ).json<ServiceResource>();
    const [a, b] = [await giveDeployment(api, service.id), await giveDeployment(api, service.id)];
    const c = await giveDeployment(api, other.id);
    await api.store.patchStatus('Deployment', a.id, 1, { phase: 'Failed' });
    const ids = async (query: string) =>
      (await api.call('GET', `/v1/deployments${query}`))
        .json<Page<DeploymentResource>>()
        .items.map(({ id }) => id);
    assert.deepEqual(await ids(''), [c.id, b.id, a.id]);
    assert.deepEqual(await ids(`?service_id=${service.id}`), [b.id, a.id]);
    assert.deepEqual(await ids('?status=Failed'), [a.id]);
    assert.deepEqual(await ids('?status=Failed&limit=1'), [a.id]);
    assert.deepEqual(await ids('?service_id=none'), []);
    assert.equal((await api.call('GET', '/v1/deployments?status=Broken')).status, 422);
  });

  it('shows its replicas in order, and whether routing points at it', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const deployment = await giveDeployment(api, service.id);
    for (const index of [1, 0]) await giveReplica(api, deployment, index);
    await api.store.patchStatus('Service', service.id, 2, { promoted: deployment.id });
    const answer = await api.call('GET', `/v1/deployments/${deployment.id}`);
    const { promoted, replicas } = answer.json<DeploymentResource>();
    assert.equal(promoted, true);
    assert.deepEqual(
      replicas.map(({ restarts, last_exit }) => [restarts, last_exit?.code]),
      [
        [0, 137],
        [1, 137],
      ],
    );
    assert.match(String(answer.headers.etag), /^"\d+"$/);
    assert.equal((await api.call('GET', '/v1/deployments/dep_none')).status, 404);
  });
});

async function giveReplica(
  api: TestApi,
  { id, service_id }: DeploymentResource,
  index: number,
): Promise<void> {
  const at = '2030-01-01T00:00:00.000Z';
  await api.store.write((writer) =>
    writer.create('Replica', {
      ...{ id: newId('replica', api.clock.now(), randomBytes(10)), name: `r${index}`, owner: id },
      spec: {
        deployment_id: id,
        service_id,
        project_id: '',
        epoch: 0,
        index,
        image: 'sha256:1',
        address: '10.0.0.2',
      },
      status: {
        ...{
          phase: 'Ready',
          container: null,
          started_at: at,
          restarts: index,
          crashes: 0,
          restart_at: null,
          probe: null,
        },
        ...{ last_exit: { code: 137, out_of_memory: true, at }, conditions: [] },
      },
    }),
  );
}

describe('POST /v1/deployments/{id}/stop', () => {
  it('asks for it, once more as well', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const deployment = await giveDeployment(api, service.id);
    for (const generation of [2, 2]) {
      const answer = await api.call('POST', `/v1/deployments/${deployment.id}/stop`);
      assert.deepEqual([answer.status, answer.json<DeploymentResource>().generation], [202, generation]);
    }
    assert.equal((await api.store.get('Deployment', deployment.id))?.spec.stopped, true);
  });

  for (const phase of ['Failed', 'Stopped', 'Inactive'] as const) {
    it(`is refused when it is ${phase}`, async (t) => {
      const api = await testApi(t);
      const { service } = await giveService(api);
      const deployment = await giveDeployment(api, service.id);
      await api.store.patchStatus('Deployment', deployment.id, 1, { phase });
      const answer = await api.call('POST', `/v1/deployments/${deployment.id}/stop`);
      assert.deepEqual([answer.status, answer.problem().code], [409, 'conflict']);
      assert.equal((await api.store.get('Deployment', deployment.id))?.spec.stopped, false);
    });
  }
});
