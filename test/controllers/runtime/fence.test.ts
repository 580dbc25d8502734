import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { DeadlineError, fenced, type Outcome } from '../../../controllers/runtime/fence.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function setUp() {
  const clock = new ManualClock();
  const outer = new AbortController();
  const work = Promise.withResolvers<string>();
  let inner: AbortSignal | undefined;
  const outcome = fenced(
    (signal) => {
      inner = signal;
      return work.promise;
    },
    { clock, deadline: 1_000, grace: 500, patience: 100, signal: outer.signal },
  );
  const outcomes: Outcome<string>[] = [];
  const world = { last: () => outcomes.at(-1), ended: false };
  void outcome.then((it) => {
    outcomes.push(it);
    if (it.how === 'abandoned') void it.ended.then(() => (world.ended = true));
  });
  return { clock, outer, work, world, signal: () => inner };
}

describe('fenced', () => {
  it('hands on the result and leaves no timer or listener behind', async () => {
    const { clock, outer, work, world, signal } = setUp();
    work.resolve('made');
    await clock.advance(0);
    assert.deepEqual(world.last(), { how: 'done', value: 'made' });
    assert.equal(clock.pending, 0);
    assert.equal(getEventListeners(outer.signal, 'abort').length, 0);
    assert.equal(signal()?.aborted, false);
  });

  it('hands on the error', async () => {
    const { clock, work, world } = setUp();
    const error = new Error('no');
    work.reject(error);
    await clock.advance(0);
    assert.deepEqual(world.last(), { how: 'failed', error });
    assert.equal(clock.pending, 0);
  });

  it('takes a throw before the first await for a failure', async () => {
    const error = new Error('at once');
    const run = () => {
      throw error;
    };
    const options = {
      clock: new ManualClock(),
      deadline: 1,
      grace: 1,
      patience: 1,
      signal: new AbortController().signal,
    };
    assert.deepEqual(await fenced(run, options), { how: 'failed', error });
  });

  it('aborts and abandons at the deadline, and ignores a late result', async () => {
    const { clock, work, world, signal } = setUp();
    await clock.advance(999);
    assert.equal(world.last(), undefined);
    await clock.advance(1);
    assert.equal(world.last()?.how, 'abandoned');
    assert.ok(signal()?.reason instanceof DeadlineError);
    assert.equal(world.ended, false);
    work.resolve('late');
    await clock.advance(0);
    assert.equal(world.last()?.how, 'abandoned');
    assert.equal(world.ended, true);
    assert.equal(clock.pending, 0);
  });

  it('swallows no late rejection into the process', async () => {
    const { clock, work, world } = setUp();
    await clock.advance(1_000);
    work.reject(new Error('late'));
    await clock.advance(0);
    assert.equal(world.ended, true);
  });

  it('takes for ended what never settles, once the grace has passed', async () => {
    const { clock, world } = setUp();
    await clock.advance(1_499);
    assert.equal(world.ended, false);
    await clock.advance(1);
    assert.equal(world.ended, true);
    assert.equal(clock.pending, 0);
  });

  it('aborts with the outer signal and waits for the work to give up', async () => {
    const { clock, outer, work, world, signal } = setUp();
    const stop = new Error('stop');
    outer.abort(stop);
    assert.equal(signal()?.reason, stop);
    await clock.advance(99);
    assert.equal(world.last(), undefined);
    work.reject(stop);
    await clock.advance(0);
    assert.deepEqual(world.last(), { how: 'failed', error: stop });
    assert.equal(clock.pending, 0);
  });

  it('abandons what does not give up after the outer abort', async () => {
    const { clock, outer, world } = setUp();
    outer.abort(new Error('stop'));
    await clock.advance(100);
    assert.equal(world.last()?.how, 'abandoned');
    assert.equal(world.ended, true);
    assert.equal(clock.pending, 0);
  });

  it('starts aborted under an outer signal that is', async () => {
    const seen: boolean[] = [];
    const run = (signal: AbortSignal) => {
      seen.push(signal.aborted);
      return Promise.resolve('ran');
    };
    const options = {
      clock: new ManualClock(),
      deadline: 1,
      grace: 1,
      patience: 1,
      signal: AbortSignal.abort(),
    };
    assert.deepEqual(await fenced(run, options), { how: 'done', value: 'ran' });
    assert.deepEqual(seen, [true]);
  });
});
