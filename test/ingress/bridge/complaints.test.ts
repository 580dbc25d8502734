import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createComplaints } from '../../../ingress/bridge/complaints.ts';

const refused = new Error('connect ECONNREFUSED 10.0.0.2:80');

test('a workload that has yet to begin to listen is the health gate\u2019s business', () => {
  const said: object[] = [];
  let now = 1_000;
  const complaints = createComplaints(
    'r',
    (_, fields) => said.push(fields),
    () => now,
  );
  complaints.unreached(refused);
  now += 29_000;
  complaints.unreached(refused);
  assert.deepEqual(said, []);
  now += 1_000;
  complaints.unreached(refused);
  assert.deepEqual(said, [{ replica: 'r', error: refused.message, connections: 3 }]);
});

test('one that has listened before is told of at once, and then every minute at most', () => {
  const said: object[] = [];
  let now = 0;
  const complaints = createComplaints(
    'r',
    (_, fields) => said.push(fields),
    () => now,
  );
  complaints.reached();
  for (let second = 0; second < 120; second += 1) {
    now = second * 1_000;
    complaints.unreached(refused);
    complaints.reached();
  }
  assert.deepEqual(said, [
    { replica: 'r', error: refused.message, connections: 1 },
    { replica: 'r', error: refused.message, connections: 60 },
  ]);
});
