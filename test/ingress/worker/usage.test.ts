import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latencyBuckets, type Traffic } from '../../../ingress/traffic.ts';
import { createTally } from '../../../ingress/worker/tally.ts';
import { createUsage, type UnderWay, type Usage } from '../../../ingress/worker/usage.ts';

const plain: UnderWay = { lasting: false, leave: () => undefined, cut: () => true };

function withRouted(...replicas: string[]) {
  const routed = new Set(replicas);
  const idle: string[] = [];
  let told = 0;
  const tally = createTally(() => (told += 1));
  const usage = createUsage(
    tally,
    (id) => routed.has(id),
    (id) => idle.push(id),
  );
  const of = (id: string): Traffic => structuredClone(tally.replica(id).figures);
  return { routed, idle, tally, usage, of, told: () => told };
}

const begin = (usage: Usage, replica: string, underWay: UnderWay = plain) => {
  const use = usage.begin(replica, underWay);
  use.asked();
  return use;
};

test('a replica that left the routes is busy until its last request ends', () => {
  const { usage, routed, idle } = withRouted('old', 'new');
  const [first, second, other] = [begin(usage, 'old'), begin(usage, 'old'), begin(usage, 'new')];
  assert.deepEqual(usage.busy(), []);
  routed.delete('old');
  assert.deepEqual(usage.busy(), ['old']);
  first.end();
  first.end();
  other.end();
  assert.deepEqual([usage.busy(), idle], [['old'], []]);
  second.end();
  assert.deepEqual([usage.busy(), idle], [[], ['old']]);
});

test('each request ends in one figure, and all of them add up', () => {
  const { usage, of } = withRouted('r');
  begin(usage, 'r').answered(200);
  begin(usage, 'r').answered(503);
  begin(usage, 'r').failed();
  begin(usage, 'r').retried();
  begin(usage, 'r').end();
  begin(usage, 'r').cut();
  for (const use of usage.underWay()) use.end();
  const { answered, errors, failed, retried, gone, aborted, requests, open } = of('r');
  assert.deepEqual([answered, errors, failed, retried, gone, aborted], [2, 1, 1, 1, 1, 1]);
  assert.equal(requests, answered + failed + retried + gone + aborted);
  assert.equal(open, 0);
});

test('one that no connection was had for is none of the replica\u2019s', () => {
  const { usage, of } = withRouted('r');
  usage.begin('r', plain).end();
  assert.deepEqual([of('r').requests, of('r').gone], [0, 0]);
});

test('latencies are in the bucket that holds them, and one of none is in the last', () => {
  const { usage, of } = withRouted('r');
  begin(usage, 'r').answered(200);
  const { latency, longest_ms: longest, latency_ms: total } = of('r');
  assert.equal(latency.length, latencyBuckets.length + 1);
  assert.equal(latency[0], 1);
  assert.ok(longest > 0 && longest === total);
});

test('a tunnel counts as such while it is open; asked to leave and ended, it is closed', () => {
  const { usage, of } = withRouted('r');
  const use = begin(usage, 'r');
  use.answered(101);
  let left = 0;
  use.tunnels({ lasting: true, leave: () => (left += 1), cut: () => false });
  assert.deepEqual([of('r').open, of('r').tunnels], [1, 1]);
  use.leave();
  use.leave();
  assert.equal(left, 1);
  use.cut();
  const { open, tunnels, closed, aborted } = of('r');
  assert.deepEqual([open, tunnels, closed, aborted], [0, 0, 1, 0]);
});

test('what was told is not told again, and there is one call for all that is new', () => {
  const { usage, tally, told } = withRouted('a', 'b');
  begin(usage, 'a').answered(200);
  begin(usage, 'b').answered(200);
  assert.equal(told(), 1);
  assert.deepEqual(Object.keys(tally.changes(false)?.replicas ?? {}), ['a', 'b']);
  assert.equal(tally.changes(false), undefined);
  begin(usage, 'b').answered(200);
  assert.equal(told(), 2);
  const replicas = tally.changes(false)?.replicas ?? {};
  assert.deepEqual(Object.keys(replicas), ['b']);
  assert.equal(replicas['b']?.requests, 2);
  assert.deepEqual(Object.keys(tally.changes(true)?.replicas ?? {}), ['a', 'b']);
});
