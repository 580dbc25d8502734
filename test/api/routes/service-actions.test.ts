import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeploymentResource, ServiceResource } from '../../../specs/resources.ts';
import { giveDeployment, giveService, testApi, type Answer, type TestApi } from '../../support/api.ts';
import { promote, reach } from '../../support/released.ts';
import { aVolume, given } from '../../support/store.ts';

/** A service that serves its second deployment. */
async function giveTwo(api: TestApi) {
  const { service } = await giveService(api);
  const first = await giveDeployment(api, service.id);
  await promote(api, first);
  const second = await giveDeployment(api, service.id);
  await promote(api, second, first.id);
  await reach(api, first, 'Inactive');
  const act = (verb: string, body?: object, headers?: Record<string, string>) =>
    api.call('POST', `/v1/services/${service.id}/${verb}`, body, headers);
  const rollout = async () => (await api.store.get('Service', service.id))?.spec.rollout;
  return { service, first, second, act, rollout };
}

function refused(answer: Answer, status: number, detail: RegExp): void {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.problem().detail, detail);
}

describe('stop and start', () => {
  it('write whether it should run, and may be repeated', async (t) => {
    const api = await testApi(t);
    const { second, act, rollout } = await giveTwo(api);
    for (const [verb, running] of [
      ['stop', false],
      ['stop', false],
      ['start', true],
      ['start', true],
    ] as const) {
      const answer = await act(verb);
      assert.equal(answer.status, 202);
      assert.equal(answer.json<ServiceResource>().running, running);
      assert.partialDeepStrictEqual(await rollout(), { target: second.id, running, epoch: 0 });
    }
  });

  it('start a deployment again that was stopped by itself', async (t) => {
    const api = await testApi(t);
    const { second, act } = await giveTwo(api);
    await api.call('POST', `/v1/deployments/${second.id}/stop`);
    await reach(api, second, 'Stopped');
    assert.equal((await act('start')).status, 202);
    assert.equal((await api.store.get('Deployment', second.id))?.spec.stopped, false);
  });

  it('refuse to start what has nothing that could run', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const start = () => api.call('POST', `/v1/services/${service.id}/start`);
    refused(await start(), 409, /Nothing was deployed/);
    const deployment = await giveDeployment(api, service.id);
    await reach(api, deployment, 'Failed');
    refused(await start(), 409, /has worked yet/);
    await reach(api, deployment, 'Stopped', { image: null });
    refused(await start(), 409, /has worked yet/);
  });

  it('take no fields', async (t) => {
    const api = await testApi(t);
    const { act } = await giveTwo(api);
    assert.equal((await act('stop', {})).status, 202);
    assert.equal((await act('stop', { now: true })).status, 422);
  });

  it('do not know a service that is not there', async (t) => {
    const api = await testApi(t);
    for (const verb of ['stop', 'start', 'restart', 'rollback']) {
      assert.equal((await api.call('POST', `/v1/services/svc_none/${verb}`)).status, 404);
    }
  });
});

describe('restart', () => {
  it('raises the epoch', async (t) => {
    const api = await testApi(t);
    const { act, rollout } = await giveTwo(api);
    assert.equal((await act('restart')).json<ServiceResource>().epoch, 1);
    await act('restart');
    assert.equal((await rollout())?.epoch, 2);
  });

  it('is refused where nothing runs', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    refused(await api.call('POST', `/v1/services/${service.id}/restart`), 409, /does not run/);
    await giveDeployment(api, service.id);
    refused(await api.call('POST', `/v1/services/${service.id}/restart`), 409, /does not run/);
  });

  it('is refused while it is stopped', async (t) => {
    const api = await testApi(t);
    const { second, act, rollout } = await giveTwo(api);
    await act('stop');
    refused(await act('restart'), 409, /does not run/);
    await act('start');
    await api.call('POST', `/v1/deployments/${second.id}/stop`);
    refused(await act('restart'), 409, /does not run/);
    assert.equal((await rollout())?.epoch, 0);
  });
});

describe('rollback', () => {
  it('wants the deployment before, by default', async (t) => {
    const api = await testApi(t);
    const { first, act, rollout } = await giveTwo(api);
    const answer = await act('rollback');
    assert.equal(answer.status, 202);
    assert.equal(answer.json<ServiceResource>().target_deployment_id, first.id);
    assert.partialDeepStrictEqual(await rollout(), { target: first.id, running: true, epoch: 0 });
  });

  it('starts a stopped service and a stopped deployment', async (t) => {
    const api = await testApi(t);
    const { first, second, act, rollout } = await giveTwo(api);
    await api.call('POST', `/v1/deployments/${second.id}/stop`);
    await reach(api, second, 'Stopped');
    await act('stop');
    assert.equal((await act('rollback', { deployment_id: second.id })).status, 202);
    assert.equal((await api.store.get('Deployment', second.id))?.spec.stopped, false);
    assert.equal((await rollout())?.running, true);
    assert.equal((await act('rollback', { deployment_id: first.id })).status, 202);
  });

  it('goes back to the one that serves, which calls a newer one off', async (t) => {
    const api = await testApi(t);
    const { service, second, act, rollout } = await giveTwo(api);
    refused(await act('rollback', { deployment_id: second.id }), 409, /already serving/);
    const third = await giveDeployment(api, service.id);
    assert.equal((await rollout())?.target, third.id);
    assert.equal((await act('rollback', { deployment_id: second.id })).status, 202);
    assert.equal((await rollout())?.target, second.id);
  });

  it('is refused to what cannot serve, with the reason', async (t) => {
    const api = await testApi(t);
    const { service, first, act, rollout } = await giveTwo(api);
    const third = await giveDeployment(api, service.id);
    const back = () => act('rollback', { deployment_id: third.id });
    for (const phase of ['Pending', 'Building', 'Starting'] as const) {
      await reach(api, third, phase);
      refused(await back(), 409, /under way/);
    }
    await reach(api, third, 'Failed', { reason: 'HealthCheckFailed' });
    refused(await back(), 409, /failed \(HealthCheckFailed\)/);
    await reach(api, third, 'Stopped', { image: null });
    refused(await back(), 409, /before it served/);
    await reach(api, first, 'Inactive', { image: null });
    refused(await act('rollback'), 409, /before it served|no longer kept/);
    assert.equal((await rollout())?.target, third.id);
  });

  it('is refused to a deployment whose volume is gone, and its history says so', async (t) => {
    const api = await testApi(t);
    await giveService(api);
    const body = { project: 'shop', name: 'db', port: 1, volumes: [{ name: 'data', mount: '/data' }] };
    const { id, project_id } = (await api.call('POST', '/v1/services', body)).json<ServiceResource>();
    const deployment = await giveDeployment(api, id);
    await reach(api, deployment, 'Inactive', { promoted_at: deployment.created_at });
    const rollback = async () =>
      (await api.call('GET', `/v1/deployments/${deployment.id}`)).json<DeploymentResource>().rollback;
    const reason = /volume data of deployment 1 was destroyed/;
    assert.match((await rollback()).reason ?? '', reason);
    const back = () => api.call('POST', `/v1/services/${id}/rollback`, { deployment_id: deployment.id });
    refused(await back(), 409, reason);
    await given(api.store, aVolume({ owner: project_id, spec: { service: 'db' } }));
    assert.deepEqual(await rollback(), { possible: true, reason: null });
    assert.equal((await back()).status, 202);
  });

  it("is refused to another service's deployment, and where there is none before", async (t) => {
    const api = await testApi(t);
    const { first } = await giveTwo(api);
    const other = (
      await api.call('POST', '/v1/services', { project: 'shop', name: 'api', port: 1 })
    ).json<ServiceResource>();
    const back = (body?: object) => api.call('POST', `/v1/services/${other.id}/rollback`, body);
    refused(await back(), 409, /no earlier deployment/);
    for (const deployment_id of [first.id, 'dep_none']) {
      const answer = await back({ deployment_id });
      refused(answer, 422, /deployment_id/);
    }
    assert.equal(
      (await back({ deployment: first.id })).problem().errors?.[0]?.message,
      'is unknown here; did you mean deployment_id?',
    );
  });
});

describe('If-Match', () => {
  it('guards a write against a lost update', async (t) => {
    const api = await testApi(t);
    const { service, act, rollout } = await giveTwo(api);
    const etag = String((await api.call('GET', `/v1/services/${service.id}`)).headers.etag);
    const stopped = await act('stop', undefined, { 'if-match': etag });
    assert.equal(stopped.status, 202);
    assert.notEqual(stopped.headers.etag, etag);
    for (const stale of [etag, '"x"', 'W/"1"', etag.slice(1, -1)]) {
      const answer = await act('start', undefined, { 'if-match': stale });
      assert.deepEqual([answer.status, answer.problem().code], [412, 'precondition_failed'], stale);
    }
    assert.equal((await rollout())?.running, false);
    assert.equal((await act('start', undefined, { 'if-match': '*' })).status, 202);
  });
});
