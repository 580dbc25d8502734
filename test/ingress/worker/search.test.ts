import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createBalance } from '../../../ingress/worker/balance.ts';
import { Search } from '../../../ingress/worker/search.ts';

const route = { id: 'svc', running: true, replicas: ['a', 'b'], drain_ms: 0, park: null };

/** @returns what moves the time on, by milliseconds */
function handClock(t: TestContext): (ms: number) => void {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  return (ms) => void (now += ms);
}

test('tries each once in a round, and ends after the last round', (t) => {
  handClock(t);
  const search = new Search(createBalance());
  const delays: (number | undefined)[] = [];
  do {
    assert.deepEqual([search.pick(route), search.pick(route)].sort(), ['a', 'b']);
    assert.equal(search.pick(route), undefined);
    delays.push(search.nextRound());
  } while (delays.at(-1) !== undefined);
  assert.deepEqual(delays, [50, 100, 200, 400, 800, 800, 800, 800, 800, undefined]);
});

test('ends in the middle of a round when time is up', (t) => {
  const pass = handClock(t);
  const search = new Search(createBalance());
  search.pick(route);
  pass(8_001);
  assert.deepEqual([search.pick(route), search.nextRound()], [undefined, undefined]);
});

test('again: all of them and all of the time, but no more rounds than were left', (t) => {
  const pass = handClock(t);
  const search = new Search(createBalance());
  while (search.nextRound() !== undefined);
  pass(60_000);
  search.again();
  assert.deepEqual([search.pick(route), search.pick(route)].sort(), ['a', 'b']);
  assert.equal(search.nextRound(), undefined);
});
