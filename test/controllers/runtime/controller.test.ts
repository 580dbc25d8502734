import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createController } from '../../../controllers/runtime/controller.ts';
import { DeadlineError } from '../../../controllers/runtime/fence.ts';
import { createMetrics } from '../../../controllers/runtime/metrics.ts';
import type { Reconcile } from '../../../controllers/runtime/reconciler.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';

function setUp(
  reconcile: Reconcile,
  generationOf: (id: string) => Promise<number | undefined> = () => Promise.resolve(1),
) {
  const clock = new ManualClock();
  const log = recordingLog();
  const metrics = createMetrics(['Replica']);
  const random = (count: number) => new Uint8Array(count).fill(255);
  const spec = { kind: 'Replica', reconcile, concurrency: 1, deadline: 1_000 } as const;
  const queue = createController(spec, {
    clock,
    random,
    log,
    metrics: metrics.of('Replica'),
    generationOf,
    patience: 100,
  });
  const count = async (series: string) => {
    const { body } = await metrics.render();
    const line = body.split('\n').find((it) => it.startsWith(`${series} `));
    assert.ok(line, `no series ${series}`);
    return Number(line.slice(series.length));
  };
  const passes = (result: string) => count(`svc_controller_passes_total{kind="Replica",result="${result}"}`);
  return { queue, clock, log, count, passes };
}

describe('a pass that', () => {
  it('succeeds is not repeated', async () => {
    const seen: string[] = [];
    const { queue, clock, passes } = setUp((id) => {
      seen.push(id);
      return Promise.resolve(undefined);
    });
    queue.add('rep_1');
    await clock.advance(3_600_000);
    assert.deepEqual(seen, ['rep_1']);
    assert.equal(await passes('success'), 1);
    assert.equal(clock.pending, 0);
  });

  it('asks for it is repeated then', async () => {
    const at: number[] = [];
    const { queue, clock, passes } = setUp(() => {
      at.push(clock.now() - start);
      return Promise.resolve(at.length < 3 ? { requeueAfter: 250 } : {});
    });
    const start = clock.now();
    queue.add('rep_1');
    await clock.advance(10_000);
    assert.deepEqual(at, [0, 250, 500]);
    assert.equal(await passes('requeue'), 2);
    assert.equal(await passes('success'), 1);
  });

  it('throws is repeated with backoff, counted and logged with its error', async () => {
    const error = new Error('engine away');
    let left = 3;
    const { queue, clock, log, count, passes } = setUp(() =>
      left-- > 0 ? Promise.reject(error) : Promise.resolve(undefined),
    );
    queue.add('rep_1');
    await clock.advance(10_000);
    assert.equal(await passes('error'), 3);
    assert.equal(await passes('success'), 1);
    assert.equal(await count('svc_controller_errors_total{kind="Replica"}'), 3);
    assert.equal(await count('svc_workqueue_retries_total{kind="Replica"}'), 3);
    assert.equal(await count('svc_workqueue_adds_total{kind="Replica"}'), 4);
    const common = { kind: 'Replica', key: 'rep_1', err: error };
    assert.deepEqual(log.lines.map(({ level, fields }) => ({ level, ...fields })), [
      { level: 'warn', ...common, failures: 1, delay: 5 },
      { level: 'warn', ...common, failures: 2, delay: 10 },
      { level: 'warn', ...common, failures: 3, delay: 20 },
    ]); // prettier-ignore
  });

  it('throws before its first await is a failure like any other', async () => {
    const { queue, clock, passes } = setUp(() => {
      throw new Error('at once');
    });
    queue.add('rep_1');
    await clock.advance(0);
    assert.equal(await passes('error'), 1);
  });

  for (const requeueAfter of [Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`asks to be repeated after ${requeueAfter} ms is a failure`, async () => {
      const { queue, clock, passes } = setUp(() => Promise.resolve({ requeueAfter }));
      queue.add('rep_1');
      await clock.advance(0);
      assert.equal(await passes('error'), 1);
    });
  }

  it('fails at a new generation counts from one', async () => {
    let generation = 1;
    const { queue, clock, log } = setUp(() => Promise.reject(new Error('no')), () => Promise.resolve(generation)); // prettier-ignore
    queue.add('rep_1');
    await clock.advance(5 + 10 + 20);
    generation = 2;
    await clock.advance(40);
    assert.deepEqual(log.lines.map(({ fields }) => (fields as { failures: number }).failures), [1, 2, 3, 4, 1]); // prettier-ignore
  });

  it('fails while its row cannot be read backs off as before, and keeps its own error', async () => {
    const { queue, clock, log } = setUp(() => Promise.reject(new Error('no')), () => Promise.reject(new Error('disk'))); // prettier-ignore
    queue.add('rep_1');
    await clock.advance(5);
    const failures = log.lines.filter(({ message }) => message.startsWith('pass failed'));
    assert.deepEqual(failures.map(({ fields }) => (fields as { failures: number }).failures), [1, 2]); // prettier-ignore
    assert.ok(failures.every(({ fields }) => (fields as { err: Error }).err.message === 'no'));
    assert.equal(log.lines.length - failures.length, 2);
  });
});

describe('a pass over its deadline', () => {
  it('is aborted and abandoned, its slot goes to other keys, its late result is ignored', async () => {
    const hung = Promise.withResolvers<{ requeueAfter: number }>();
    const signals: AbortSignal[] = [];
    const seen: string[] = [];
    const { queue, clock, log, count, passes } = setUp((id, { signal }) => {
      seen.push(id);
      signals.push(signal);
      return id === 'rep_hung' && signals.length === 1 ? hung.promise : Promise.resolve(undefined);
    });
    queue.add('rep_hung');
    queue.add('rep_next');
    await clock.advance(999);
    assert.deepEqual(seen, ['rep_hung']);
    await clock.advance(1);
    assert.deepEqual(seen, ['rep_hung', 'rep_next']);
    assert.ok(signals[0]?.reason instanceof DeadlineError);
    assert.equal(await passes('abandoned'), 1);
    assert.equal(await count('svc_controller_abandoned_passes_total{kind="Replica"}'), 1);
    assert.equal(await count('svc_controller_errors_total{kind="Replica"}'), 1);
    assert.ok((log.lines[0]?.fields as { err: unknown }).err instanceof DeadlineError);
    hung.resolve({ requeueAfter: 60_000 });
    await clock.advance(5);
    assert.deepEqual(seen, ['rep_hung', 'rep_next', 'rep_hung']);
    await clock.advance(120_000);
    assert.equal(seen.length, 3, 'what the late result asked for was ignored');
  });

  it('keeps its key until the grace has passed, when it never settles', async () => {
    const at: number[] = [];
    const { queue, clock } = setUp(() => {
      at.push(clock.now() - start);
      return at.length === 1 ? new Promise(() => undefined) : Promise.resolve(undefined);
    });
    const start = clock.now();
    queue.add('rep_1');
    await clock.advance(1_500);
    queue.add('rep_1');
    await clock.advance(60_000);
    assert.deepEqual(at.slice(0, 2), [0, 2_000]);
  });
});

describe('closing', () => {
  it('aborts the pass, waits for it, and counts it as aborted', async () => {
    const { queue, clock, log, passes } = setUp(
      (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
    );
    queue.add('rep_1');
    await clock.advance(0);
    await queue.close();
    assert.equal(await passes('aborted'), 1);
    assert.equal(await passes('error'), 0);
    assert.deepEqual(log.lines, []);
  });

  it('does not wait longer than its patience', async () => {
    const { queue, clock } = setUp(() => new Promise(() => undefined));
    queue.add('rep_1');
    await clock.advance(0);
    const closing = queue.close();
    await clock.advance(100);
    await closing;
    assert.equal(clock.pending, 0);
  });
});
