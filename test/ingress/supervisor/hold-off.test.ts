import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadline } from '../../../ingress/supervisor/deadline.ts';
import { createHoldOff } from '../../../ingress/supervisor/hold-off.ts';
import { defaultLimits } from '../../../ingress/supervisor/limits.ts';
import { ManualClock } from '../../support/manual-clock.ts';

test('the first death costs nothing, the next ones more and more, up to a limit', async () => {
  const clock = new ManualClock();
  const holdOff = createHoldOff(clock, { ...defaultLimits, backoff: 300 });
  let released = 0;
  const fail = (): void => holdOff.failed('worker-0', () => (released += 1));
  fail();
  assert.deepEqual([released, holdOff.held.has('worker-0')], [1, false]);
  for (const delay of [100, 200, 300, 300]) {
    const before = released;
    fail();
    await clock.advance(delay - 1);
    assert.deepEqual([released, holdOff.held.has('worker-0')], [before, true]);
    await clock.advance(1);
    assert.deepEqual([released, holdOff.held.has('worker-0')], [before + 1, false]);
  }
  holdOff.well('worker-0');
  const before = released;
  fail();
  assert.equal(released, before + 1);
});

test('slots are held one by one, and no timer is left behind', () => {
  const clock = new ManualClock();
  const holdOff = createHoldOff(clock, defaultLimits);
  for (let i = 0; i < 3; i += 1) holdOff.failed('worker-0', () => undefined);
  assert.deepEqual(
    [holdOff.held.has('worker-0'), holdOff.held.has('worker-1'), clock.pending],
    [true, false, 1],
  );
  holdOff.stop();
  assert.equal(clock.pending, 0);
});

test('a deadline gives half of its time again after a stop in which only the clock went on', async () => {
  const clock = new ManualClock();
  let over = false;
  deadline(clock, 10_000, () => (over = true));
  // What was due runs late: the first half only.
  await clock.advance(5_000);
  assert.equal(over, false);
  await clock.advance(4_999);
  assert.equal(over, false);
  await clock.advance(1);
  assert.equal(over, true);
  const cancel = deadline(clock, 10_000, () => assert.fail('it was met'));
  await clock.advance(6_000);
  cancel();
  await clock.advance(60_000);
});
