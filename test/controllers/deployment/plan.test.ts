import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plan } from '../../../controllers/deployment/plan.ts';
import { isWanted } from '../../../controllers/deployment/wanted.ts';
import { aDeployment, anId, aService } from '../../support/store.ts';
import { begun, image, replica, seen, target, verdict } from './scene.ts';

const soon = begun + 1_000;
const late = begun + 121_000;
const id = anId('deployment');
const other = anId('deployment', 2);

const ready = replica({ status: { phase: 'Ready' } });

describe('the release', () => {
  const built = aDeployment({
    status: { phase: 'Starting', image, starting_at: '2030-01-01T00:00:00.000Z' },
  });

  it('makes as many replicas as are wanted', () => {
    const service = target({ spec: { replicas: 2 } });
    const { steps } = plan(built, seen({ service }), soon);
    assert.deepEqual(
      steps.map((step) => (step.do === 'createReplica' ? [step.index, step.subnet] : step.do)),
      [
        [0, '10.210.0.0/24'],
        [1, '10.210.0.0/24'],
      ],
    );
  });

  it('promotes only when all are ready', () => {
    const service = target({ spec: { replicas: 2 } });
    const second = replica({
      id: anId('replica', 2),
      name: '0.1',
      spec: { index: 1 },
      status: { phase: 'Starting' },
    });
    assert.deepEqual(verdict(plan(built, seen({ service, replicas: [ready, second] }), soon)), [
      'Starting',
      'WaitingForHealth',
      [],
    ]);
    assert.deepEqual(verdict(plan(built, seen({ replicas: [ready] }), soon)), [
      'Starting',
      'WaitingForRoute',
      ['promote'],
    ]);
  });

  it('is Healthy only when every worker routes to it and to nothing else', () => {
    const promoted = aDeployment({ status: { ...built.status, epoch: 0 } });
    const service = target({ status: { promoted: id, previous: null } });
    const at = (routed: string[]) => plan(promoted, seen({ service, replicas: [ready], routed }), soon).phase;
    assert.equal(at([]), 'Starting');
    assert.equal(at([anId('replica', 9)]), 'Starting');
    assert.equal(at([ready.row.id, anId('replica', 9)]), 'Starting');
    assert.equal(at([ready.row.id]), 'Healthy');
  });

  it('fails at once when a replica exits, quoting its exit code and its last 20 lines', () => {
    const lines = Array.from({ length: 25 }, (_, n) => `line ${n + 1}`);
    const last_exit = { code: 3, out_of_memory: false, at: '2030-01-01T00:00:00.500Z' };
    const decision = plan(
      built,
      seen({ replicas: [replica({ status: { phase: 'Exited', last_exit } }, lines)] }),
      soon,
    );
    assert.deepEqual(verdict(decision), ['Failed', 'WorkloadExited', ['removeReplica']]);
    assert.match(decision.message, /code 3/);
    assert.match(decision.message, /line 6\n {2}line 7/);
    assert.doesNotMatch(decision.message, /line 5\n/);
  });

  it('tells a kill over the memory limit, and a start that the engine refused, apart', () => {
    const last_exit = { code: 137, out_of_memory: true, at: '2030-01-01T00:00:00.500Z' };
    assert.equal(
      plan(built, seen({ replicas: [replica({ status: { phase: 'Exited', last_exit } })] }), soon).reason,
      'OutOfMemory',
    );
    const conditions = [
      {
        type: 'Ready',
        status: 'False',
        reason: 'StartFailed',
        message: 'no such command',
        last_transition_at: '',
      },
    ] as const;
    const refused = replica({ status: { phase: 'Exited', conditions: [...conditions] } });
    const decision = plan(built, seen({ replicas: [refused] }), soon);
    assert.equal(decision.reason, 'StartFailed');
    assert.match(decision.message, /no such command/);
  });

  it('fails at the deadline with the last answer of the probe', () => {
    const slow = replica({ status: { phase: 'Starting', probe: '503: "warming up"' } }, ['still loading']);
    assert.equal(plan(built, seen({ replicas: [slow] }), late - 2_000).phase, 'Starting');
    const decision = plan(built, seen({ replicas: [slow] }), late);
    assert.deepEqual(verdict(decision), ['Failed', 'HealthCheckFailed', ['removeReplica']]);
    assert.match(decision.message, /503: "warming up"/);
    assert.match(decision.message, /still loading/);
  });

  it('looks again soon while its project has no addresses yet', () => {
    const decision = plan(built, seen({ subnet: null }), soon);
    assert.deepEqual(verdict(decision), ['Starting', 'WaitingForHealth', []]);
    assert.equal(decision.requeueAfter, 200);
  });

  it('fails at the deadline even when not one replica could be made', () => {
    assert.equal(plan(built, seen({ subnet: null }), late).phase, 'Failed');
  });

  it('promotes what is ready although the deadline passed while nobody looked', () => {
    assert.deepEqual(verdict(plan(built, seen({ replicas: [ready] }), late)), [
      'Starting',
      'WaitingForRoute',
      ['promote'],
    ]);
  });
});

describe('a restart', () => {
  const healthy = aDeployment({
    status: {
      phase: 'Healthy',
      reason: 'Promoted',
      image,
      epoch: 0,
      promoted_at: '2030-01-01T00:00:00.000Z',
    },
  });
  const service = target({
    spec: { rollout: { target: id, running: true, epoch: 1, configured: null } },
    status: { promoted: id, previous: null },
  });
  const fresh = (phase: 'Starting' | 'Ready' | 'Exited') =>
    replica({
      id: anId('replica', 2),
      name: '1.0',
      spec: { epoch: 1 },
      status: { phase, last_exit: phase === 'Exited' ? { code: 1, out_of_memory: false, at: '' } : null },
    });

  it('starts new replicas beside the old ones and stays Healthy', () => {
    assert.deepEqual(verdict(plan(healthy, seen({ service, replicas: [ready] }), soon)), [
      'Healthy',
      'WaitingForHealth',
      ['createReplica'],
    ]);
  });

  it('moves to them once they are ready, and then lets the old ones go', () => {
    assert.deepEqual(plan(healthy, seen({ service, replicas: [ready, fresh('Ready')] }), soon).steps, [
      { do: 'promote', epoch: 1 },
    ]);
    const moved = aDeployment({ status: { ...healthy.status, epoch: 1 } });
    assert.deepEqual(plan(moved, seen({ service, replicas: [ready, fresh('Ready')] }), soon).steps, [
      { do: 'removeReplica', id: ready.row.id },
    ]);
  });

  it('that fails leaves the old ones serving, and is not tried again by itself', () => {
    const decision = plan(healthy, seen({ service, replicas: [ready, fresh('Exited')] }), soon);
    assert.equal(decision.phase, 'Healthy');
    assert.deepEqual(decision.failedRestart, { epoch: 1, reason: 'WorkloadExited' });
    assert.deepEqual(decision.steps, [{ do: 'removeReplica', id: fresh('Exited').row.id }]);
    const after = aDeployment({ status: { ...healthy.status, failed_epoch: 1 } });
    assert.deepEqual(plan(after, seen({ service, replicas: [ready] }), soon).steps, []);
  });

  it('that fails while the ingress has yet to route to the ones before it leaves them to be routed to', () => {
    const status = { ...healthy.status, phase: 'Starting', reason: 'WaitingForRoute' } as const;
    const decision = plan(
      aDeployment({ status }),
      seen({ service, replicas: [ready, fresh('Exited')] }),
      soon,
    );
    assert.deepEqual([decision.phase, decision.reason], ['Starting', 'WaitingForRoute']);
    assert.deepEqual(decision.failedRestart, { epoch: 1, reason: 'WorkloadExited' });
    assert.deepEqual(decision.steps, [{ do: 'removeReplica', id: fresh('Exited').row.id }]);
  });
});

describe('a deployment that is not wanted', () => {
  const past = { image, promoted_at: '2030-01-01T00:00:00.000Z' };
  const elsewhere = aService({
    spec: { rollout: { target: other, running: true, epoch: 0, configured: null } },
    status: { promoted: other, previous: id },
  });

  it('was replaced: Inactive, and its replicas go', () => {
    const row = aDeployment({ status: { phase: 'Healthy', ...past } });
    assert.deepEqual(verdict(plan(row, seen({ service: elsewhere, replicas: [ready] }), soon)), [
      'Inactive',
      'Replaced',
      ['removeReplica'],
    ]);
  });

  it('was superseded before it was promoted: Stopped, and its build is called off', () => {
    const row = aDeployment({ status: { phase: 'Building' } });
    assert.deepEqual(verdict(plan(row, seen({ service: elsewhere, build: { state: 'running' } }), soon)), [
      'Stopped',
      'Superseded',
      ['forgetBuild'],
    ]);
  });

  it('was cancelled, or stopped with its service', () => {
    const cancelled = aDeployment({ spec: { stopped: true }, status: { phase: 'Building' } });
    assert.deepEqual(verdict(plan(cancelled, seen(), soon)), ['Stopped', 'Cancelled', []]);
    const service = target({
      spec: { rollout: { target: id, running: false, epoch: 0, configured: null } },
      status: { promoted: id, previous: null },
    });
    const row = aDeployment({ status: { phase: 'Healthy', ...past } });
    assert.deepEqual(verdict(plan(row, seen({ service }), soon)), ['Stopped', 'Stopped', []]);
  });

  it('keeps the words that it ended with', () => {
    const row = aDeployment({ status: { phase: 'Failed', reason: 'BuildFailed', message: 'as it was' } });
    assert.equal(plan(row, seen(), late).message, 'as it was');
  });

  it('serves again after a rollback, without a build', () => {
    const row = aDeployment({ status: { phase: 'Inactive', ...past } });
    assert.deepEqual(verdict(plan(row, seen(), soon)), ['Starting', 'WaitingForHealth', ['createReplica']]);
  });

  it('that was cancelled before it was built never comes back', () => {
    assert.equal(isWanted(aDeployment({ status: { phase: 'Stopped' } }), target()), false);
    assert.equal(isWanted(aDeployment({ status: { phase: 'Failed', image } }), target()), false);
    assert.equal(isWanted(aDeployment({ status: { phase: 'Stopped', image } }), target()), true);
  });

  it('goes on serving while a newer one is under way or has failed', () => {
    const service = aService({
      spec: { rollout: { target: other, running: true, epoch: 0, configured: null } },
      status: { promoted: id, previous: null },
    });
    assert.equal(isWanted(aDeployment({ status: { phase: 'Healthy', ...past } }), service), true);
  });
});
