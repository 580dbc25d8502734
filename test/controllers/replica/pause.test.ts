import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plan, type Decision } from '../../../controllers/replica/plan.ts';
import type { Observed } from '../../../controllers/replica/observe.ts';
import { aDeployment, aProject, aReplica, aService } from '../../support/store.ts';
import type { ContainerState } from '../../../controllers/engine/engine.ts';

const begun = Date.parse('2030-01-01T00:00:00.000Z');
const at = (seconds: number): string => new Date(begun + seconds * 1_000).toISOString();
const container = (said: Partial<ContainerState> = {}): ContainerState => ({
  ...{ id: 'c1', name: 'shop-web-1', labels: {}, image: 'sha256:x', state: 'running', paused: false },
  networks: [{ name: 'svc-node-shop', id: 'network-1', address: '10.210.0.2' }],
  limits: { memoryBytes: 512 * 2 ** 20, cpus: 1, pids: 512 },
  ...{ selfRestarting: false, startedAt: at(-60), exit: null },
  ...said,
});
const paused = aReplica({ spec: { paused_at: at(0) }, status: { phase: 'Ready', started_at: at(-60) } });

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
  assert.notEqual(decide({ container: exited, stopping: true }, 4).phase, 'Paused');
  const done = decide({ container: exited }, 4);
  assert.equal(done.phase, 'Paused');
  assert.deepEqual(done.exit, {
    last_exit: { code: 143, out_of_memory: false, at: at(3) },
    ...{ crashes: 0, restart_at: at(3) },
  });
  assert.equal(decide({ container: undefined }, 4).phase, 'Paused');
});

it('is started again at once when it is to go on', () => {
  const exit = { code: 143, outOfMemory: false, at: at(3), error: '' };
  const last = { code: 143, out_of_memory: false, at: at(3) };
  const resumed = aReplica({ status: { phase: 'Paused', last_exit: last, restart_at: at(3) } });
  const decision = decide({ container: container({ state: 'exited', exit }) }, 5, resumed);
  assert.ok(decision.steps.some((step) => step.do === 'restart'));
  assert.equal(decision.exit, undefined);
});
