import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Snapshot } from '../../../ingress/index.ts';
import { createRevisions, type Serving } from '../../../ingress/supervisor/revisions.ts';
import { routesTo } from '../support/replicas.ts';

function snapshot(revision: number, replicas: string[]): Snapshot {
  return { revision, ...routesTo({ web: Object.fromEntries(replicas.map((id) => [id, `/s/${id}`])) }) };
}

function serving(revision: number, ...busy: string[]): Serving {
  return { revision, sent: 0, busy: new Set(busy) };
}

test('the number goes on from the disk, and from what is served already', () => {
  assert.equal(createRevisions(undefined).next(), 1);
  const revisions = createRevisions(snapshot(41, []));
  assert.equal(revisions.next(), 42);
  revisions.saw(50);
  revisions.saw(7);
  assert.equal(revisions.next(), 51);
});

test('applied is what the last of them serves', () => {
  const revisions = createRevisions(undefined);
  for (const revision of [1, 2, 3]) revisions.add(snapshot(revision, []));
  assert.equal(revisions.appliedBy([serving(3), serving(2)])?.revision, 2);
  assert.equal(revisions.appliedBy([serving(3), serving(0)]), undefined);
  assert.equal(revisions.appliedBy([serving(9)]), undefined);
  assert.equal(revisions.appliedBy([]), undefined);
});

test('a replica is idle when no worker may send to it and none has a request of it', () => {
  const revisions = createRevisions(undefined);
  revisions.add(snapshot(1, ['old']));
  revisions.add(snapshot(2, ['new']));
  const idle = (...members: Serving[]): boolean => revisions.isIdle('old', members);
  assert.equal(idle(serving(2), serving(2)), true);
  assert.equal(idle(serving(2), serving(1)), false, 'one still routes to it');
  assert.equal(idle(serving(2), serving(2, 'old')), false, 'one is busy with it');
  assert.equal(idle(serving(2), serving(0)), false, 'one is not known');
  assert.equal(idle(), true, 'nobody serves');
  assert.equal(revisions.isIdle('new', [serving(2)]), false, 'it is routed');
});

test('a replica is routed while any worker sends to it, however far behind the others are', () => {
  const revisions = createRevisions(undefined);
  revisions.add(snapshot(1, []));
  revisions.add(snapshot(2, ['brief']));
  revisions.add(snapshot(3, []));
  const routed = (...members: Serving[]): boolean => revisions.isRouted('brief', members);
  assert.equal(routed(serving(1), serving(2)), true, 'what all of them have does not name it, but one does');
  assert.equal(routed(serving(1), serving(3)), false);
  assert.equal(routed(serving(3), serving(3, 'brief')), false, 'requests under way are no new ones');
  assert.equal(routed(serving(3), serving(0)), true, 'one is not known');
  assert.equal(routed({ ...serving(1), sent: 2 }), true, 'one was sent what names it');
  assert.equal(routed({ ...serving(1), sent: 3 }), false);
  revisions.add(snapshot(4, ['brief']));
  assert.equal(routed(serving(3)), true, 'it is about to be');
});

test('what nobody serves is forgotten, the latest never', () => {
  const revisions = createRevisions(snapshot(1, ['old']));
  revisions.add(snapshot(2, ['new']));
  revisions.prune([serving(1), serving(2)]);
  assert.equal(revisions.appliedBy([serving(1)])?.revision, 1);
  revisions.prune([serving(2)]);
  assert.equal(revisions.appliedBy([serving(1)]), undefined);
  revisions.prune([]);
  assert.equal(revisions.appliedBy([serving(2)])?.revision, 2);
});
