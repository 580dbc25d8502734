import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMetrics, passResults } from '../../../controllers/runtime/metrics.ts';
import { WorkQueue } from '../../../controllers/runtime/work-queue.ts';
import { controllerKinds as kinds } from '../../../controllers/runtime/reconciler.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { ManualPasses } from '../../support/manual-passes.ts';

async function series(metrics: { render(): Promise<{ body: string }> }): Promise<Map<string, number>> {
  const { body } = await metrics.render();
  const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

describe('metrics', () => {
  it('have every series of every kind from zero', async () => {
    const found = await series(createMetrics(kinds));
    for (const kind of kinds) {
      const label = `{kind="${kind}"}`;
      const expected = [
        ...['svc_workqueue_depth', 'svc_workqueue_adds_total', 'svc_workqueue_retries_total'].map(
          (name) => name + label,
        ),
        ...['svc_controller_errors_total', 'svc_controller_abandoned_passes_total'].map(
          (name) => name + label,
        ),
        ...['svc_workqueue_queue_seconds', 'svc_workqueue_work_seconds'].flatMap((name) => [
          `${name}_sum${label}`,
          `${name}_count${label}`,
          `${name}_bucket{le="+Inf",kind="${kind}"}`,
        ]),
        ...passResults.map((result) => `svc_controller_passes_total{kind="${kind}",result="${result}"}`),
      ];
      for (const name of expected) assert.equal(found.get(name), 0, name);
    }
  });

  it('say what they are', async () => {
    const { contentType, body } = await createMetrics(kinds).render();
    assert.match(contentType, /^text\/plain/);
    for (const line of body.split('\n')) assert.doesNotMatch(line, /undefined|NaN/);
    assert.match(body, /# HELP svc_workqueue_depth \S/);
  });

  it('of two sets are apart', async () => {
    const [one, other] = [createMetrics(['Replica']), createMetrics(['Replica'])];
    one.of('Replica').added();
    assert.equal((await series(one)).get('svc_workqueue_adds_total{kind="Replica"}'), 1);
    assert.equal((await series(other)).get('svc_workqueue_adds_total{kind="Replica"}'), 0);
  });

  it('of a kind that was not named are refused', () => {
    assert.throws(() => createMetrics(['Replica']).of('Service'), /no metrics for Service/);
  });

  it('follow a real queue', async () => {
    const metrics = createMetrics(['Replica']);
    const of = metrics.of('Replica');
    const clock = new ManualClock();
    const passes = new ManualPasses();
    const observer = {
      added: () => of.added(),
      waited: (ms: number) => of.waited(ms),
      retried: () => of.retried(),
    };
    const queue = new WorkQueue({
      concurrency: 1,
      clock,
      random: (n) => new Uint8Array(n),
      work: passes.work,
      observer,
    });
    of.readDepth(() => queue.depth);
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await clock.advance(0);
    assert.equal((await series(metrics)).get('svc_workqueue_depth{kind="Replica"}'), 2);
    await clock.advance(3_000);
    for (const key of ['a', 'b', 'c']) {
      passes.done(key);
      await clock.advance(0);
    }
    const found = await series(metrics);
    assert.equal(found.get('svc_workqueue_depth{kind="Replica"}'), 0);
    assert.equal(found.get('svc_workqueue_adds_total{kind="Replica"}'), 3);
    assert.equal(found.get('svc_workqueue_queue_seconds_sum{kind="Replica"}'), 6);
    assert.equal(found.get('svc_workqueue_queue_seconds_bucket{le="0.0001",kind="Replica"}'), 1);
  });

  it('include those of the process when asked', async () => {
    const found = await series(createMetrics(['Replica'], { process: true }));
    assert.ok((found.get('process_resident_memory_bytes') ?? 0) > 0);
    assert.equal((await series(createMetrics(['Replica']))).has('process_resident_memory_bytes'), false);
  });
});
