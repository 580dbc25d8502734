import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ServiceMetrics } from '../../../specs/metrics.ts';
import { giveMember, testApi } from '../../support/api.ts';
import { giveStream } from '../../support/event-stream.ts';
import { aReplica, given } from '../../support/store.ts';

const stats = (cpuSeconds: number) => ({
  ...{ cpuSeconds, memoryBytes: 2 ** 20, memoryLimitBytes: 2 ** 29, receivedBytes: 0, sentBytes: 0, pids: 3 },
});

async function world(t: TestContext) {
  const api = await testApi(t);
  const { id: deployment, serviceId } = await giveStream(api);
  const startedAt = new Date(api.clock.now()).toISOString();
  const running = { phase: 'Ready', started_at: startedAt, restarts: 2 } as const;
  const idle = aReplica({ owner: deployment, spec: { deployment_id: deployment }, status: running });
  const busy = aReplica({
    ...{ id: 'rep_busy', name: '0.1', owner: deployment },
    spec: { deployment_id: deployment, index: 1 },
    status: running,
  });
  await given(api.store, idle, busy);
  const url = `/v1/services/${serviceId}/metrics`;
  return { api, url, idle, busy, read: async () => (await api.call('GET', url)).json<ServiceMetrics>() };
}

describe('GET /v1/services/{id}/metrics', () => {
  it('is what each replica uses, the busiest first, and all of them together', async (t) => {
    const { api, idle, busy, read } = await world(t);
    const now = api.clock.now();
    const none = { requests: 0, errors: 0, failed: 0, open: 0, latency: Array<number>(16).fill(0) };
    const some = { ...none, requests: 60, latency: none.latency.with(2, 60) };
    for (const [id, cpu] of [
      [idle.id, 1],
      [busy.id, 30],
    ] as const)
      api.metrics.sampled(
        id,
        { at: now - 60_000, stats: stats(0), requests: none },
        { at: now, stats: stats(cpu), requests: some },
      );
    await api.clock.advance(90_000);
    const found = await read();
    assert.deepEqual(
      found.replicas.map(({ id, cpu, uptime_seconds: up, restarts }) => [
        id,
        cpu.cores,
        cpu.limit,
        up,
        restarts,
      ]),
      [
        [busy.id, 0.5, 1, 90, 2],
        [idle.id, 0.0167, 1, 90, 2],
      ],
    );
    assert.deepEqual(found.total.cpu, { cores: 0.5167, limit: 2 });
    assert.deepEqual(found.total.memory, { bytes: 2 ** 21, limit: 2 ** 30 });
    assert.deepEqual([found.total.requests.total, found.total.requests.per_second], [120, 2]);
    assert.deepEqual(found.total.requests.latency_ms, { p50: 3.5, p90: 4.7, p99: 4.97 });
    assert.deepEqual([found.window_seconds, found.sampled_at], [60, new Date(now).toISOString()]);
  });

  it('has nothing to tell before the first sample, and of a service that never ran', async (t) => {
    const { api, read } = await world(t);
    const { replicas, sampled_at, total } = await read();
    assert.deepEqual([replicas.length, sampled_at, total.memory.bytes], [2, null, null]);
    await api.call('POST', '/v1/services', { project: 'shop', name: 'new', port: 80 });
    const list = (await api.call('GET', '/v1/services?name=new')).json<{ items: { id: string }[] }>();
    const never = await api.call('GET', `/v1/services/${list.items[0]?.id}/metrics`);
    assert.deepEqual(never.json<ServiceMetrics>().total.cpu, { cores: null, limit: null });
    assert.deepEqual(never.json<ServiceMetrics>().replicas, []);
  });

  it('is for members of the project only', async (t) => {
    const { api, url } = await world(t);
    const service = await api.store.get('Service', url.split('/')[3] ?? '');
    const viewer = await giveMember(api, 'ann', { [service?.owner ?? '']: 'Viewer' });
    const stranger = await giveMember(api, 'bob');
    const as = (token: string) => api.call('GET', url, undefined, { authorization: `Bearer ${token}` });
    assert.deepEqual([(await as(viewer.token)).status, (await as(stranger.token)).status], [200, 404]);
  });
});
