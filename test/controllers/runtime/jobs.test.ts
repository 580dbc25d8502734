import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeadlineError } from '../../../controllers/runtime/fence.ts';
import { CancelledError, Jobs } from '../../../controllers/runtime/jobs.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const hour = 3_600_000;

function setUp() {
  const clock = new ManualClock();
  const settled: string[] = [];
  const runs = new Map<string, PromiseWithResolvers<string> & { signal: AbortSignal }>();
  const started: string[] = [];
  const jobs = new Jobs<string>({
    clock,
    deadline: 10_000,
    grace: 1_000,
    concurrency: { pull: 2 },
    onSettled: (key) => void settled.push(key),
  });
  const ensure = (key: string, group = 'build', deadline?: number) =>
    jobs.ensure(
      key,
      (signal) => {
        started.push(key);
        const run = { ...Promise.withResolvers<string>(), signal };
        runs.set(key, run);
        return run.promise;
      },
      { group, ...(deadline === undefined ? {} : { deadline }) },
    );
  const run = (key: string) => {
    const found = runs.get(key);
    assert.ok(found, `${key} was not started`);
    return found;
  };
  return { jobs, clock, settled, started, ensure, run, settle: () => clock.advance(0) };
}

describe('ensure', () => {
  it('starts at most one job per key, and keeps its result until it is forgotten', async () => {
    const { jobs, settled, started, ensure, run, settle } = setUp();
    ensure('dep_1');
    await settle();
    assert.deepEqual(ensure('dep_1'), { state: 'running' });
    run('dep_1').resolve('sha256:1');
    await settle();
    assert.deepEqual(ensure('dep_1'), { state: 'done', result: 'sha256:1' });
    assert.deepEqual(jobs.find('dep_1'), { state: 'done', result: 'sha256:1' });
    assert.deepEqual(started, ['dep_1']);
    assert.deepEqual(settled, ['dep_1']);
    jobs.forget('dep_1');
    assert.equal(jobs.find('dep_1'), undefined);
    ensure('dep_1');
    await settle();
    assert.deepEqual(started, ['dep_1', 'dep_1']);
  });

  it('keeps the error of a job that failed', async () => {
    const { jobs, settled, ensure, run, settle } = setUp();
    ensure('dep_1');
    await settle();
    const error = new Error('no such image');
    run('dep_1').reject(error);
    await settle();
    assert.deepEqual(jobs.find('dep_1'), { state: 'failed', error });
    assert.deepEqual(settled, ['dep_1']);
  });

  it('takes a throw before the first await for a failure', async () => {
    const { jobs, settle } = setUp();
    const error = new Error('at once');
    const run = () => {
      throw error;
    };
    jobs.ensure('dep_1', run, { group: 'build' });
    await settle();
    assert.deepEqual(jobs.find('dep_1'), { state: 'failed', error });
  });

  it('runs one of a group at a time by default, in order, and tells the position', async () => {
    const { jobs, started, ensure, run, settle } = setUp();
    for (const key of ['dep_1', 'dep_2', 'dep_3']) ensure(key);
    await settle();
    assert.deepEqual(started, ['dep_1']);
    assert.deepEqual(jobs.find('dep_2'), { state: 'queued', position: 1 });
    assert.deepEqual(jobs.find('dep_3'), { state: 'queued', position: 2 });
    run('dep_1').resolve('made');
    await settle();
    assert.deepEqual(started, ['dep_1', 'dep_2']);
    assert.deepEqual(jobs.find('dep_3'), { state: 'queued', position: 1 });
  });

  it('keeps groups apart and their limits', async () => {
    const { jobs, started, ensure, settle } = setUp();
    for (const key of ['b1', 'b2']) ensure(key, 'build');
    for (const key of ['p1', 'p2', 'p3']) ensure(key, 'pull');
    await settle();
    assert.deepEqual(jobs.find('p3'), { state: 'queued', position: 1 });
    assert.deepEqual(started.sort(), ['b1', 'p1', 'p2']);
  });

  it('finds nothing where nothing was started', () => {
    assert.equal(setUp().jobs.find('dep_1'), undefined);
  });
});

describe('the limit', () => {
  it('aborts and fails the job, and its place is free once it has given up', async () => {
    const { jobs, clock, settled, started, ensure, run } = setUp();
    ensure('dep_1');
    ensure('dep_2');
    await clock.advance(10_000);
    const job = jobs.find('dep_1');
    assert.ok(job?.state === 'failed' && job.error instanceof DeadlineError);
    assert.equal(run('dep_1').signal.aborted, true);
    assert.deepEqual(settled, ['dep_1']);
    assert.deepEqual(started, ['dep_1'], 'two builds at once');
    run('dep_1').reject(new Error('aborted'));
    await clock.advance(0);
    assert.deepEqual(started, ['dep_1', 'dep_2']);
    assert.equal(jobs.find('dep_1'), job, 'the late end changes nothing');
  });

  it('does not let a job that never settles keep its place for ever', async () => {
    const { clock, started, ensure } = setUp();
    ensure('dep_1');
    ensure('dep_2');
    await clock.advance(11_000);
    assert.deepEqual(started, ['dep_1', 'dep_2']);
  });

  it('does not count the time in the queue, and may be another one', async () => {
    const { jobs, clock, ensure, run } = setUp();
    ensure('dep_1');
    ensure('dep_2', 'build', 100);
    await clock.advance(9_000);
    assert.equal(jobs.find('dep_2')?.state, 'queued');
    run('dep_1').resolve('made');
    await clock.advance(99);
    assert.equal(jobs.find('dep_2')?.state, 'running');
    await clock.advance(1);
    assert.equal(jobs.find('dep_2')?.state, 'failed');
  });
});

describe('cancel', () => {
  it('fails a queued job at once', async () => {
    const { jobs, settled, started, ensure, run, settle } = setUp();
    for (const key of ['dep_1', 'dep_2', 'dep_3']) ensure(key);
    await settle();
    jobs.cancel('dep_2');
    const job = jobs.find('dep_2');
    assert.ok(job?.state === 'failed' && job.error instanceof CancelledError);
    assert.deepEqual(jobs.find('dep_3'), { state: 'queued', position: 1 });
    assert.deepEqual(settled, ['dep_2']);
    run('dep_1').resolve('made');
    await settle();
    assert.deepEqual(started, ['dep_1', 'dep_3']);
  });

  it('aborts a running job, which fails once it gives up', async () => {
    const { jobs, settled, ensure, run, settle } = setUp();
    ensure('dep_1');
    await settle();
    jobs.cancel('dep_1');
    await settle();
    assert.deepEqual(jobs.find('dep_1'), { state: 'running' });
    run('dep_1').reject(new Error('socket closed'));
    await settle();
    const job = jobs.find('dep_1');
    assert.ok(job?.state === 'failed' && job.error instanceof CancelledError);
    assert.deepEqual(settled, ['dep_1']);
  });

  it('fails one that does not give up after the grace', async () => {
    const { jobs, clock, started, ensure } = setUp();
    ensure('dep_1');
    ensure('dep_2');
    await clock.advance(0);
    jobs.cancel('dep_1');
    await clock.advance(1_000);
    assert.equal(jobs.find('dep_1')?.state, 'failed');
    assert.deepEqual(started, ['dep_1', 'dep_2']);
  });

  it('leaves a settled job and an unknown key alone', async () => {
    const { jobs, settled, ensure, run, settle } = setUp();
    ensure('dep_1');
    await settle();
    run('dep_1').resolve('made');
    await settle();
    jobs.cancel('dep_1');
    jobs.cancel('dep_9');
    assert.deepEqual(jobs.find('dep_1'), { state: 'done', result: 'made' });
    assert.deepEqual(settled, ['dep_1']);
  });
});

describe('forget', () => {
  it('drops a queued job at once', async () => {
    const { jobs, started, ensure, run, settle } = setUp();
    ensure('dep_1');
    ensure('dep_2');
    await settle();
    jobs.forget('dep_2');
    jobs.forget('dep_9');
    assert.equal(jobs.find('dep_2'), undefined);
    run('dep_1').resolve('made');
    await settle();
    assert.deepEqual(started, ['dep_1']);
  });

  it('cancels a running job and never lets a second one of its key start beside it', async () => {
    const { jobs, settled, started, ensure, run, settle } = setUp();
    ensure('dep_1');
    await settle();
    jobs.forget('dep_1');
    assert.equal(run('dep_1').signal.aborted, true);
    assert.deepEqual(ensure('dep_1'), { state: 'running' });
    run('dep_1').reject(new Error('aborted'));
    await settle();
    assert.equal(jobs.find('dep_1'), undefined);
    assert.deepEqual(settled, ['dep_1']);
    ensure('dep_1');
    await settle();
    assert.deepEqual(started, ['dep_1', 'dep_1']);
  });

  it('tells when the key of a job that hung is free again', async () => {
    const { jobs, clock, settled, ensure } = setUp();
    ensure('dep_1');
    await clock.advance(10_000);
    jobs.forget('dep_1');
    assert.equal(jobs.find('dep_1')?.state, 'failed');
    await clock.advance(1_000);
    assert.equal(jobs.find('dep_1'), undefined);
    assert.deepEqual(settled, ['dep_1', 'dep_1']);
  });
});

describe('close', () => {
  it('aborts all, waits for what runs, and tells nobody', async () => {
    const { jobs, clock, settled, started, ensure, run } = setUp();
    ensure('dep_1');
    ensure('dep_2');
    await clock.advance(0);
    let closed = false;
    const closing = jobs.close().then(() => (closed = true));
    await clock.advance(500);
    assert.equal(run('dep_1').signal.aborted, true);
    assert.equal(closed, false);
    run('dep_1').reject(new Error('aborted'));
    await closing;
    assert.deepEqual(started, ['dep_1']);
    assert.deepEqual(settled, []);
    assert.equal(clock.pending, 0);
    assert.throws(() => ensure('dep_3'), CancelledError);
  });

  it('waits for a job that never settles no longer than its grace', async () => {
    const { jobs, clock, ensure } = setUp();
    ensure('dep_1');
    await clock.advance(0);
    const closing = jobs.close();
    await clock.advance(1_000);
    await closing;
    await clock.advance(hour);
    assert.equal(clock.pending, 0);
  });
});
