import assert from 'node:assert/strict';
import { it } from 'node:test';
import { replicaName } from '../../../controllers/engine/names.ts';
import { plan, type Decision } from '../../../controllers/replica/plan.ts';
import type { Observed } from '../../../controllers/replica/observe.ts';
import { aDeployment, aProject, aReplica, aService } from '../../support/store.ts';
import type { ContainerState } from '../../../controllers/engine/engine.ts';
import type { Condition } from '../../../specs/conditions.ts';

const begun = Date.parse('2030-01-01T00:00:00.000Z');
const at = (seconds: number): string => new Date(begun + seconds * 1_000).toISOString();
const condition = (reason: string): Condition => ({
  ...{ type: 'Ready', status: 'False', reason, message: '', last_transition_at: at(0) },
});
/** As one that is made for it. */
const family = { replica: aReplica(), deployment: aDeployment(), service: aService(), project: aProject() };
const container = (said: Partial<ContainerState> = {}): ContainerState => ({
  ...{ id: 'c1', name: replicaName(family), labels: {}, image: 'sha256:x', state: 'running', paused: false },
  networks: [{ name: 'svc-node-shop', id: 'network-1', address: '10.210.0.2' }],
  limits: { memoryBytes: 512 * 2 ** 20, cpus: 1, pids: 512 },
  ...{ selfRestarting: false, tunings: [], startedAt: at(-60), exit: null },
  ...said,
});
const paused = aReplica({ spec: { paused_at: at(0) }, status: { phase: 'Ready', started_at: at(-60) } });
/** As it is once a pass has seen it run, and asked that it be stopped. */
const seenRunning = aReplica({
  ...paused,
  ...{ generation: 2, observed_generation: 2 },
  status: { ...paused.status, conditions: [condition('Paused')] },
});

const seen = (said: Partial<Observed> = {}): Observed => ({
  deployment: aDeployment({ status: { phase: 'Healthy', epoch: 0 } }),
  service: aService(),
  project: aProject(),
  container: container(),
  probe: undefined,
  ...{ routed: false, idle: true, stopping: false },
  ...said,
});
const decide = (said: Partial<Observed>, seconds: number, row = paused): Decision =>
  plan(row, seen(said), begun + seconds * 1_000);
const doing = (...args: Parameters<typeof decide>): string =>
  decide(...args)
    .steps.map((step) => step.do)
    .join(' ');

it('stops once nothing is routed to it and its requests are through, or have had their time', () => {
  assert.equal(doing({ routed: true, idle: true }, 60), '');
  assert.equal(doing({ idle: false }, 11), '');
  assert.equal(doing({ idle: false }, 12), 'unprobe stop');
  assert.equal(doing({}, 0), 'unprobe stop');
  assert.equal(doing({ stopping: true }, 0), '');
});

it('is Paused only when nothing of it runs, which is no death', () => {
  const exit = { code: 143, outOfMemory: false, at: at(3), error: '' };
  const exited = container({ state: 'exited', exit });
  assert.equal(decide({}, 0).phase, 'Ready');
  assert.notEqual(decide({ container: exited, stopping: true }, 4, seenRunning).phase, 'Paused');
  const done = decide({ container: exited }, 4, seenRunning);
  assert.equal(done.phase, 'Paused');
  assert.deepEqual(done.exit, {
    last_exit: { code: 143, out_of_memory: false, at: at(3) },
    ...{ crashes: 0, restart_at: at(3) },
  });
  assert.equal(decide({ container: undefined }, 4).phase, 'Paused');
});

it('keeps no container that was not seen to run since, for a start that was asked for may still come', () => {
  const exit = { code: 1, outOfMemory: false, at: at(-1), error: '' };
  const asked = { container: container({ state: 'exited', exit }) };
  const resumed = { ...seenRunning, generation: 4 };
  for (const row of [paused, resumed]) {
    assert.equal(doing(asked, 1, row), 'unprobe discard');
    assert.equal(
      doing({ container: container({ state: 'created', startedAt: null }) }, 1, row),
      'unprobe discard',
    );
    const { phase, reason } = decide(asked, 1, row);
    assert.deepEqual([phase, reason], ['Exited', 'Exited'], 'what it says is not taken for having run');
    assert.equal(decide({ ...asked, stopping: true }, 1, row).reason, 'Exited');
    assert.equal(decide({ ...asked, routed: true }, 1, row).reason, 'Exited');
    assert.equal(doing({ ...asked, routed: true }, 1, row), '');
    assert.equal(decide({ container: undefined }, 1, row).phase, 'Paused');
  }
});

it('is stopped again when something starts it', () => {
  const quiet = { ...seenRunning, status: { ...seenRunning.status, phase: 'Paused' as const } };
  const decision = decide({}, 60, quiet);
  assert.deepEqual([decision.phase, decision.steps.at(-1)?.do], ['Starting', 'stop']);
});

it('is started again at once when it is to go on', () => {
  const exit = { code: 143, outOfMemory: false, at: at(3), error: '' };
  const last = { code: 143, out_of_memory: false, at: at(3) };
  const resumed = aReplica({ status: { phase: 'Paused', last_exit: last, restart_at: at(3) } });
  const decision = decide({ container: container({ state: 'exited', exit }) }, 5, resumed);
  assert.ok(decision.steps.some((step) => step.do === 'restart'));
  assert.equal(decision.exit, undefined);
});
