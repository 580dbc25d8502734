import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContainerState } from '../../../controllers/engine/engine.ts';
import type { Observed } from '../../../controllers/replica/observe.ts';
import { replicaName } from '../../../controllers/engine/names.ts';
import { plan } from '../../../controllers/replica/plan.ts';
import { aDeployment, aProject, aReplica, aService } from '../../support/store.ts';

const begun = Date.parse('2030-01-01T00:00:00.000Z');
const at = (seconds: number): string => new Date(begun + seconds * 1_000).toISOString();

/** As one that is made for it. */
const family = { replica: aReplica(), deployment: aDeployment(), service: aService(), project: aProject() };
const container = (said: Partial<ContainerState> = {}): ContainerState => ({
  id: 'c1',
  name: replicaName(family),
  labels: {},
  image: 'sha256:x',
  state: 'running',
  paused: false,
  networks: [{ name: 'svc-node-shop', id: 'network-1', address: '10.210.0.2' }],
  limits: { memoryBytes: 512 * 2 ** 20, cpus: 1, pids: 512 },
  selfRestarting: false,
  tunings: [],
  startedAt: at(0),
  exit: null,
  ...said,
});
const exitedAfter = (seconds: number, code = 1): ContainerState =>
  container({ state: 'exited', exit: { code, outOfMemory: false, at: at(seconds), error: '' } });

const seen = (said: Partial<Observed> = {}): Observed => ({
  deployment: aDeployment({ status: { phase: 'Healthy', epoch: 0 } }),
  service: aService(),
  project: aProject(),
  container: undefined,
  probe: undefined,
  routed: false,
  idle: true,
  stopping: false,
  ...said,
});
const doing = (...args: Parameters<typeof plan>): string[] => plan(...args).steps.map((step) => step.do);

describe('a replica that is wanted', () => {
  it('is created and started once the network of its project is there', () => {
    const noNetwork = seen({ project: aProject({ status: { network: null } }) });
    assert.deepEqual(doing(aReplica(), noNetwork, begun), []);
    assert.deepEqual(doing(aReplica(), seen(), begun), ['create', 'start', 'probe']);
    assert.deepEqual(
      doing(aReplica(), seen({ container: container({ state: 'created', startedAt: null }) }), begun),
      ['start', 'probe'],
    );
  });

  it('is ready when the probe says so, and is asked until then', () => {
    const running = seen({ container: container() });
    assert.equal(plan(aReplica(), running, begun).phase, 'Starting');
    assert.deepEqual(doing(aReplica(), running, begun), ['probe', 'follow']);
    assert.equal(
      plan(aReplica(), { ...running, probe: { passed: true, words: '200' } }, begun).phase,
      'Ready',
    );
  });

  it('is said not to answer once it has run for a while without a good answer', () => {
    const running = seen({ container: container(), probe: { passed: false, words: '503' } });
    const before = plan(aReplica(), running, begun + 9_000);
    assert.deepEqual([before.reason, before.requeueAfter], ['Starting', 1_000]);
    const later = plan(aReplica(), running, begun + 10_000);
    assert.deepEqual([later.phase, later.reason], ['Starting', 'Unresponsive']);
    assert.equal(later.message, 'It runs, and has given no good answer for 10 s. The last probe: 503');
    assert.ok(later.steps.some((step) => step.do === 'probe'));
  });

  it('stays ready for a control plane that came back, but only for the same run', () => {
    const running = seen({ container: container() });
    assert.equal(
      plan(aReplica({ status: { phase: 'Ready', started_at: at(0) } }), running, begun).phase,
      'Ready',
    );
    assert.equal(
      plan(aReplica({ status: { phase: 'Ready', started_at: at(-9) } }), running, begun).phase,
      'Starting',
    );
  });

  it('is put right while it runs, before it is asked for more, and its limits at last', () => {
    const changed = { paused: true, limits: { memoryBytes: 1, cpus: 1, pids: 512 } };
    const ready = aReplica({ status: { phase: 'Ready', started_at: at(0) } });
    const decision = plan(ready, seen({ container: container(changed) }), begun);
    assert.deepEqual(
      decision.steps.map((step) => step.do),
      ['unpause', 'follow', 'limit'],
    );
    assert.deepEqual(decision.drift, ['it was paused']);
    assert.equal(decision.phase, 'Ready');
    assert.equal(decision.resize, true);
  });

  it('is put right before it is started, and not while it waits for that', () => {
    const dead = { ...exitedAfter(2), networks: [] };
    assert.deepEqual(doing(aReplica(), seen({ container: dead }), begun + 2_000), [
      ...['connect', 'unprobe', 'follow', 'restart'],
    ]);
    const waits = aReplica({ status: { crashes: 4 } });
    assert.deepEqual(doing(waits, seen({ container: dead }), begun + 2_000), ['unprobe', 'follow']);
  });

  it('that was removed is made again, and that is told', () => {
    const made = aReplica({ status: { container: 'c1', phase: 'Ready', started_at: at(0) } });
    const decision = plan(made, seen(), begun);
    assert.deepEqual(decision.drift, ['its container was removed']);
    assert.equal(plan(aReplica(), seen(), begun).drift, undefined);
  });

  it('is left as it is once it is unwanted', () => {
    const paused = seen({ container: container({ paused: true }) });
    assert.deepEqual(doing(aReplica({ deleted_at: at(0) }), paused, begun), ['unprobe', 'stop']);
  });

  it('that dies while it is gated stays dead: its death is the verdict', () => {
    const gated = seen({
      container: exitedAfter(2, 3),
      deployment: aDeployment({ status: { phase: 'Starting', epoch: null } }),
    });
    const decision = plan(aReplica(), gated, begun + 2_000);
    assert.deepEqual(decision.steps, [{ do: 'unprobe' }, { do: 'follow' }]);
    assert.equal(decision.phase, 'Exited');
    assert.deepEqual(decision.exit?.last_exit, { code: 3, out_of_memory: false, at: at(2) });
  });

  it('that dies while it serves is restarted at once, and then with backoff', () => {
    assert.deepEqual(doing(aReplica(), seen({ container: exitedAfter(2) }), begun + 2_000), [
      'unprobe',
      'follow',
      'restart',
    ]);
    const again = plan(
      aReplica({ status: { crashes: 1 } }),
      seen({ container: exitedAfter(2) }),
      begun + 2_000,
    );
    assert.equal(again.reason, 'BackOff');
    assert.equal(again.requeueAfter, 1_000);
    assert.equal(
      plan(aReplica({ status: { crashes: 4 } }), seen({ container: exitedAfter(2) }), begun + 2_000)
        .requeueAfter,
      8_000,
    );
    assert.equal(
      plan(aReplica({ status: { crashes: 50 } }), seen({ container: exitedAfter(2) }), begun + 2_000)
        .requeueAfter,
      300_000,
    );
  });

  it('waits for the time on record, and counts a death once', () => {
    const last_exit = { code: 1, out_of_memory: false, at: at(2) };
    const row = aReplica({ status: { crashes: 2, last_exit, restart_at: at(3) } });
    const early = plan(row, seen({ container: exitedAfter(2) }), begun + 2_500);
    assert.equal(early.exit, undefined);
    assert.equal(early.requeueAfter, 500);
    assert.deepEqual(doing(row, seen({ container: exitedAfter(2) }), begun + 3_000), [
      'unprobe',
      'follow',
      'restart',
    ]);
  });

  it('that dies leaves on record whether it had answered', () => {
    const servedOf = (phase: 'Starting' | 'Ready') =>
      plan(aReplica({ status: { phase } }), seen({ container: exitedAfter(2) }), begun + 2_000).exit?.served;
    assert.deepEqual([servedOf('Ready'), servedOf('Starting')], [true, false]);
  });

  it('that ran for ten minutes starts afresh', () => {
    assert.equal(
      plan(aReplica({ status: { crashes: 9 } }), seen({ container: exitedAfter(601) }), begun + 601_000).exit
        ?.crashes,
      1,
    );
  });

  it('that dies is said to be dead before it is started: nothing is routed to it meanwhile', () => {
    const dead = seen({ container: exitedAfter(2) });
    const first = plan(aReplica({ status: { phase: 'Ready', container: 'c1' } }), dead, begun + 2_000);
    assert.deepEqual(first.phase, 'Exited');
    assert.deepEqual(
      first.steps.map((step) => step.do),
      ['unprobe', 'follow'],
    );
    assert.equal(first.requeueAfter, 0);
  });

  it('whose container somebody removed gets another', () => {
    const routed = plan(aReplica({ status: { phase: 'Ready', container: 'gone' } }), seen(), begun);
    assert.deepEqual([routed.steps, routed.phase], [[{ do: 'unprobe' }], 'Exited']);
    assert.deepEqual([routed.drift, routed.requeueAfter], [['its container was removed'], 0]);
    const said = aReplica({ status: { phase: 'Exited', container: null } });
    assert.deepEqual(doing(said, seen(), begun), ['create', 'start', 'probe']);
    assert.equal(plan(said, seen(), begun).drift, undefined);
  });
});

describe('a replica whose secrets cannot be had', () => {
  const message = 'Version 1 of the secret TOKEN is gone.';
  const ready = { type: 'Ready', status: 'False', reason: 'SecretUnavailable', message } as const;
  const row = aReplica({
    status: { phase: 'Exited', restart_at: at(8), conditions: [{ ...ready, last_transition_at: at(0) }] },
  });

  it('stays as it is while it is gated: that is the verdict', () => {
    const gated = seen({ deployment: aDeployment({ status: { phase: 'Starting', epoch: null } }) });
    const decision = plan(row, gated, begun + 60_000);
    assert.deepEqual([decision.steps, decision.reason, decision.message], [[], 'SecretUnavailable', message]);
    assert.equal(decision.requeueAfter, undefined);
  });

  it('is tried again with backoff while it is kept alive', () => {
    const early = plan(row, seen(), begun);
    assert.deepEqual([early.steps, early.reason, early.requeueAfter], [[], 'SecretUnavailable', 8_000]);
    assert.deepEqual(doing(row, seen(), begun + 8_000), ['create', 'start', 'probe']);
  });

  it('runs on, and is restarted in the container that has them', () => {
    const died = aReplica({ status: { phase: 'Exited', container: 'c1' } });
    assert.deepEqual(doing(died, seen({ container: exitedAfter(2) }), begun + 2_000), [
      'unprobe',
      'follow',
      'restart',
    ]);
  });
});

describe('a replica that is to go', () => {
  const row = aReplica({ deleted_at: at(0) });
  const running = { container: container() };

  it('is not touched while a worker may route to it, however long that takes', () => {
    assert.deepEqual(doing(row, seen({ ...running, routed: true }), begun + 3_600_000), []);
  });

  it('may finish its requests, until the drain is over and the ingress has cut the rest', () => {
    const busy = seen({ ...running, idle: false });
    assert.deepEqual(doing(row, busy, begun + 31_999), []);
    assert.deepEqual(doing(row, busy, begun + 32_000), ['unprobe', 'stop']);
    assert.deepEqual(doing(row, seen(running), begun + 1), ['unprobe', 'stop']);
  });

  it('is removed once it has stopped, and not before', () => {
    assert.deepEqual(doing(row, seen({ ...running, stopping: true }), begun), []);
    assert.deepEqual(doing(row, seen({ container: exitedAfter(1) }), begun), ['unprobe', 'remove']);
    assert.deepEqual(doing(row, seen(), begun), ['unprobe', 'remove']);
  });

  it('goes as well when its deployment is gone', () => {
    assert.deepEqual(doing(aReplica(), seen({ deployment: undefined }), begun), ['unprobe', 'remove']);
  });
});
