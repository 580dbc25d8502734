import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { startSampler } from '../../../controllers/metrics/sampler.ts';
import type { RequestCounts } from '../../../controllers/metrics/sample.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { aProject, aReplica, aService, given, memoryStore } from '../../support/store.ts';

async function world(test: TestContext) {
  const clock = new ManualClock();
  const engine = new FakeEngine(clock);
  const store = await memoryStore([], clock);
  const image = engine.addImage('app');
  await engine.ensureNetwork({ name: 'net', subnet: '10.0.0.0/24', labels: {} });
  const container = await engine.createReplica({
    ...{ name: 'web', image, env: {}, labels: {}, mounts: [] },
    network: { name: 'net', address: '10.0.0.2' },
    limits: { memoryBytes: 2 ** 29, cpus: 1, pids: 512 },
  });
  await engine.startReplica(container);
  const startedAt = new Date(clock.now()).toISOString();
  const [project, service] = [aProject(), aService()];
  const replica = aReplica({ status: { phase: 'Ready', container, started_at: startedAt } });
  await given(store, project, service, replica);
  const traffic: Record<string, RequestCounts> = {};
  const log = recordingLog();
  const start = () => {
    const sampler = startSampler({
      store,
      engine,
      traffic: () => traffic,
      latencyBounds: [1, 10],
      clock,
      log,
    });
    test.after(async () => {
      await sampler.close();
      await store.close();
    });
    return sampler;
  };
  return {
    clock,
    engine,
    store,
    replica,
    project,
    service,
    traffic,
    log,
    start,
    web: engine.container('web'),
  };
}

describe('the sampler', () => {
  it('reads every ten seconds what replicas use, and forgets what is older than a minute', async (test) => {
    const { clock, replica, traffic, web, start } = await world(test);
    await clock.advance(120_000);
    web.uses = { cpuSeconds: 30 };
    const sampler = start();
    await clock.advance(0);
    assert.equal(sampler.figures([replica.id]).total.cpu.cores, null, 'nobody knows when it used that');
    for (let second = 10; second <= 120; second += 10) {
      web.uses = { cpuSeconds: 30 + second / 2 };
      traffic[replica.id] = { requests: second, errors: 0, failed: 0, open: 0, latency: [second, 0, 0] };
      await clock.advance(10_000);
    }
    const { each, total } = sampler.figures([replica.id, 'rep_nobody']);
    assert.deepEqual([...each.keys()], [replica.id]);
    assert.deepEqual([total.cpu.cores, total.requests.per_second, total.requests.total], [0.5, 1, 120]);
    web.uses = { cpuSeconds: 90 };
    await clock.advance(60_000);
    assert.equal(sampler.figures([replica.id]).total.requests.per_second, 0, 'the minute before is over');
    assert.equal(sampler.sampledAt(), new Date(clock.now()).toISOString());
  });

  it('knows of one that has just started that it had used nothing then', async (test) => {
    const { clock, replica, web, start } = await world(test);
    await clock.advance(4_000);
    web.uses = { cpuSeconds: 1 };
    const sampler = start();
    await clock.advance(0);
    assert.equal(sampler.figures([replica.id]).total.cpu.cores, 0.25);
  });

  it('goes on when the engine comes back; whoever watches the engine says that it was away', async (test) => {
    const { clock, engine, replica, web, log, start } = await world(test);
    const sampler = start();
    await clock.advance(0);
    engine.down();
    await clock.advance(30_000);
    engine.up();
    web.uses = { cpuSeconds: 4 };
    await clock.advance(10_000);
    assert.equal(sampler.figures([replica.id]).total.cpu.cores, 0.1);
    assert.deepEqual(
      log.lines.map(({ level }) => level),
      ['debug', 'debug', 'debug'],
    );
  });

  it('sums up by service, and forgets what is gone', async (test) => {
    const { clock, store, replica, start } = await world(test);
    const sampler = start();
    await clock.advance(0);
    const [found] = await sampler.services();
    assert.deepEqual([found?.project, found?.service, found?.figures.memory.bytes], ['shop', 'web', 2 ** 20]);
    await store.write((writer) => writer.purge('Replica', replica.id));
    await clock.advance(10_000);
    assert.deepEqual([await sampler.services(), sampler.figures([replica.id]).each.size], [[], 0]);
  });
});
