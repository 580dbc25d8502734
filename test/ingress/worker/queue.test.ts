import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { noServiceTraffic } from '../../../ingress/traffic.ts';
import { Queue, type Waiter } from '../../../ingress/worker/queue.ts';

const count = 200;

/** Nothing here takes time: whatever happens does so before any timer. */
function scene(t: TestContext) {
  const figures = noServiceTraffic();
  const queue = new Queue(() => figures);
  const went: number[] = [];
  const waiters = Array.from({ length: count }, (_, index): Waiter => {
    return { service: 'web', size: 1, since: 0, go: () => void went.push(index), refuse: () => undefined };
  });
  for (const waiter of waiters) queue.add(waiter, () => undefined, 60_000);
  t.after(() => {
    queue.hold();
    for (const waiter of waiters) queue.leave(waiter);
  });
  return { figures, queue, went, waiters };
}

const first = (n: number): number[] => Array.from({ length: n }, (_, index) => index);

test('they go in order, the next one when one has its answer', (t) => {
  const { figures, queue, went, waiters } = scene(t);
  queue.release();
  assert.deepEqual(went, first(64));
  assert.equal(figures.waiting, count - 64);
  for (const waiter of waiters.slice(0, 10)) queue.leave(waiter);
  assert.deepEqual(went, first(74));
  for (const waiter of waiters) queue.leave(waiter);
  assert.equal(figures.waiting, 0);
  assert.ok(queue.isEmpty);
});

test('one whose client has gone while it waited is passed over', (t) => {
  const { queue, went, waiters } = scene(t);
  for (const waiter of waiters.slice(0, 3)) queue.leave(waiter);
  queue.release();
  assert.deepEqual(went.slice(0, 2), [3, 4]);
});

test('no more go once there is nobody to go to', (t) => {
  const { queue, went, waiters } = scene(t);
  queue.release();
  queue.hold();
  for (const waiter of waiters.slice(0, 10)) queue.leave(waiter);
  assert.deepEqual(went, first(64));
  queue.release();
  assert.deepEqual(went, first(74));
});

test('one that comes back keeps the others from going in vain', (t) => {
  const { queue, went, waiters } = scene(t);
  queue.release();
  const [back, ...others] = waiters.slice(0, 10);
  assert.ok(back);
  queue.comesBack(back);
  queue.add(back, () => undefined, 60_000);
  for (const waiter of others) queue.leave(waiter);
  assert.deepEqual(went, first(64));
  queue.release();
  assert.deepEqual(went.slice(64), first(74).slice(64), 'it is the last now');
});
