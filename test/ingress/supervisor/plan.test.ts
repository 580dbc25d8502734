import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planFleet, wantedSlots, type Plan, type Standing } from '../../../ingress/supervisor/plan.ts';

const wanted = wantedSlots(2);

function member(pid: number, slot: string, more: Partial<Standing> = {}): Standing {
  const [role, number] = slot.split('-');
  const place = { role: role === 'bridge' ? ('bridge' as const) : ('worker' as const), slot: Number(number) };
  return { pid, ...place, current: true, ready: true, expected: true, draining: false, ...more };
}

const whole = [member(1, 'bridge-0'), member(2, 'worker-0'), member(3, 'worker-1')];
const coming = { ready: false };
const lost = { ready: false, expected: false };

const table: [what: string, members: Standing[], spawn: string[], drain: number[]][] = [
  ['nobody: all are started', [], ['bridge-0', 'worker-0', 'worker-1'], []],
  ['everybody: nothing to do', whole, [], []],
  ['one is missing: it is started', whole.slice(0, 2), ['worker-1'], []],
  ['one is on its way: it is waited for', [...whole.slice(0, 2), member(3, 'worker-1', coming)], [], []],
  [
    'one is overdue: another is started, it is not drained yet',
    [...whole.slice(0, 2), member(3, 'worker-1', lost)],
    ['worker-1'],
    [],
  ],
  ['the overdue one came back: one of the two goes', [...whole, member(4, 'worker-1')], [], [4]],
  [
    'the overdue one never came: it goes once there is another',
    [...whole, member(4, 'worker-1', lost)],
    [],
    [4],
  ],
  [
    'a second one is still starting: it goes when it is there',
    [...whole, member(4, 'worker-1', coming)],
    [],
    [],
  ],
  [
    'one of another program: its successor first',
    [...whole.slice(0, 2), member(3, 'worker-1', { current: false })],
    ['worker-1'],
    [],
  ],
  [
    'its successor is on its way: it stays',
    [...whole.slice(0, 2), member(3, 'worker-1', { current: false }), member(4, 'worker-1', coming)],
    [],
    [],
  ],
  ['its successor listens: it goes', [...whole, member(4, 'worker-1', { current: false })], [], [4]],
  [
    'a slot too many: it goes',
    [...whole, member(4, 'worker-2'), member(5, 'worker-7', { current: false })],
    [],
    [4, 5],
  ],
  [
    'a slot too many while one is missing: it stays',
    [...whole.slice(0, 2), member(4, 'worker-2')],
    ['worker-1'],
    [],
  ],
  [
    'one drains: it is no longer counted',
    [...whole.slice(0, 2), member(3, 'worker-1', { draining: true })],
    ['worker-1'],
    [],
  ],
];

for (const [what, members, spawn, drain] of table) {
  test(what, () => {
    const plan: Plan = planFleet(wanted, members, new Set());
    const spawned = plan.spawn.map(({ role, slot }) => `${role}-${slot}`);
    assert.deepEqual([spawned, plan.drain], [spawn, drain]);
  });
}

test('a slot that is held stays empty', () => {
  assert.deepEqual(planFleet(wanted, whole.slice(1), new Set(['bridge-0'])).spawn, []);
});
