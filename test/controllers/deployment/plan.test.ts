import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Observed } from '../../../controllers/deployment/observe.ts';
import { buildLimitMs, isWanted, plan, type Decision } from '../../../controllers/deployment/plan.ts';
import type { Row } from '../../../specs/index.ts';
import { aDeployment, anId, aReplica, aService, type Said } from '../../support/store.ts';

const begun = Date.parse('2030-01-01T00:00:00.000Z');
const soon = begun + 1_000;
const late = begun + 121_000;
const id = anId('deployment');
const other = anId('deployment', 2);
const image = `sha256:${'a'.repeat(64)}`;

const target = (said: Said<'Service'> = {}): Row<'Service'> =>
  aService({ ...said, spec: { rollout: { target: id, running: true, epoch: 0 }, ...said.spec } });

const seen = (said: Partial<Observed> = {}): Observed => ({
  service: target(),
  replicas: [],
  subnet: '10.210.0.0/24',
  build: undefined,
  builtImage: undefined,
  engineError: undefined,
  routed: [],
  ...said,
});

const replica = (said: Said<'Replica'> = {}, output: string[] = []) => ({ row: aReplica(said), output });
const ready = replica({ status: { phase: 'Ready' } });

function verdict({ phase, reason, steps }: Decision): [string, string, string[]] {
  return [phase, reason, steps.map((step) => step.do)];
}

describe('a deployment without an image', () => {
  it('queues its build', () => {
    assert.deepEqual(verdict(plan(aDeployment(), seen(), soon)), ['Pending', 'Queued', ['startBuild']]);
  });

  it('is Building while its build runs, and leaves it alone', () => {
    assert.deepEqual(verdict(plan(aDeployment(), seen({ build: { state: 'running' } }), soon)), [
      'Building',
      'Building',
      [],
    ]);
  });

  it('takes the image of a finished build, and of one that finished before a crash', () => {
    const finished = plan(aDeployment(), seen({ build: { state: 'done', image } }), soon);
    assert.equal(finished.image, image);
    assert.deepEqual(verdict(finished), ['Starting', 'WaitingForHealth', ['forgetBuild']]);
    assert.equal(plan(aDeployment(), seen({ builtImage: image }), soon).image, image);
  });

  it('fails with the reason of its build', () => {
    const build = {
      state: 'failed',
      reason: 'BuildFailed',
      message: 'RUN false: exit code 1',
      transient: false,
    } as const;
    const decision = plan(aDeployment(), seen({ build }), soon);
    assert.deepEqual(verdict(decision), ['Failed', 'BuildFailed', ['forgetBuild']]);
    assert.equal(decision.message, 'RUN false: exit code 1');
  });

  it('waits for an engine that is away, and ends in a verdict all the same', () => {
    const row = aDeployment({ status: { phase: 'Building', building_at: '2030-01-01T00:00:00.000Z' } });
    const away = seen({ engineError: 'nothing answers' });
    assert.equal(plan(row, away, soon).phase, 'Building');
    assert.deepEqual(verdict(plan(row, away, begun + buildLimitMs + 1)), ['Failed', 'EngineUnavailable', []]);
    assert.deepEqual(verdict(plan(row, seen({ build: { state: 'queued' } }), begun + buildLimitMs + 1)), [
      'Failed',
      'BuildTimedOut',
      ['forgetBuild'],
    ]);
  });
});

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
    spec: { rollout: { target: id, running: true, epoch: 1 } },
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
    assert.equal(decision.failedEpoch, 1);
    assert.deepEqual(decision.steps, [{ do: 'removeReplica', id: fresh('Exited').row.id }]);
    const after = aDeployment({ status: { ...healthy.status, failed_epoch: 1 } });
    assert.deepEqual(plan(after, seen({ service, replicas: [ready] }), soon).steps, []);
  });
});

describe('a deployment that is not wanted', () => {
  const past = { image, promoted_at: '2030-01-01T00:00:00.000Z' };
  const elsewhere = aService({
    spec: { rollout: { target: other, running: true, epoch: 0 } },
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
      spec: { rollout: { target: id, running: false, epoch: 0 } },
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
      spec: { rollout: { target: other, running: true, epoch: 0 } },
      status: { promoted: id, previous: null },
    });
    assert.equal(isWanted(aDeployment({ status: { phase: 'Healthy', ...past } }), service), true);
  });
});
