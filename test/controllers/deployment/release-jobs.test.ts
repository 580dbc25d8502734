import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plan } from '../../../controllers/deployment/plan.ts';
import type { ReleaseJob } from '../../../controllers/deployment/observe.ts';
import type { RunPhase } from '../../../specs/job.ts';
import { aDeployment, aJob, anId, aRun } from '../../support/store.ts';
import { begun, image, replica, seen, target, verdict } from './scene.ts';

const built = aDeployment({ status: { phase: 'Building', image } });
const job = (n: number, name: string, phase?: RunPhase, output: string[] = []): ReleaseJob => ({
  job: aJob({ id: anId('job', n), name }),
  run: phase && aRun({ id: anId('run', n), status: { phase, message: 'Its command ended with code 3.' } }),
  output,
});
const gate = ['Starting', 'WaitingForHealth', ['createReplica']];
const waiting = 'RunningReleaseJob';

describe('a deployment with release jobs', () => {
  it('runs them one after the other, by their names, before its first replica', () => {
    const first = plan(built, seen({ releaseJobs: [job(1, 'b'), job(2, 'a')] }), begun);
    assert.deepEqual(
      [first.phase, first.reason, first.steps],
      [...['Starting', waiting], [{ do: 'runReleaseJob', job: anId('job', 2) }]],
    );
    const running = plan(built, seen({ releaseJobs: [job(1, 'b'), job(2, 'a', 'Running')] }), begun);
    assert.deepEqual(verdict(running), ['Starting', waiting, []]);
    const second = plan(built, seen({ releaseJobs: [job(1, 'b'), job(2, 'a', 'Succeeded')] }), begun);
    assert.deepEqual(second.steps, [{ do: 'runReleaseJob', job: anId('job', 1) }]);
    const done = plan(
      built,
      seen({ releaseJobs: [job(1, 'b', 'Succeeded'), job(2, 'a', 'Succeeded')] }),
      begun,
    );
    assert.deepEqual(verdict(done), gate);
  });

  it('fails with the last lines of one that does not succeed', () => {
    for (const phase of ['Failed', 'Stopped'] as const) {
      const failed = plan(
        built,
        seen({ releaseJobs: [job(1, 'migrate', phase, ['no such column'])] }),
        begun,
      );
      assert.deepEqual(verdict(failed), ['Failed', 'ReleaseJobFailed', []]);
      assert.match(failed.message, /migrate did not succeed.*code 3\. Its last lines:\n {2}no such column$/);
    }
  });

  it('has the whole time of its gate after them', () => {
    const starting_at = new Date(begun - 3_600_000).toISOString();
    const after = aDeployment({ status: { phase: 'Starting', reason: waiting, image, starting_at } });
    const decision = plan(after, seen({ releaseJobs: [job(1, 'migrate', 'Succeeded')] }), begun);
    assert.deepEqual(verdict(decision), gate);
  });

  it('does not run them again: not beside its replicas, once it served, nor for a changed configuration', () => {
    const releaseJobs = [job(1, 'migrate')];
    const served = aDeployment({
      status: { phase: 'Inactive', image, promoted_at: '2029-12-31T00:00:00.000Z' },
    });
    const reusing = aDeployment({
      spec: { reuse: anId('deployment', 2) },
      status: { phase: 'Pending', image },
    });
    for (const row of [served, reusing])
      assert.deepEqual(verdict(plan(row, seen({ releaseJobs }), begun)), gate);
    const gated = plan(built, seen({ releaseJobs, replicas: [replica()] }), begun);
    assert.deepEqual(verdict(gated), ['Starting', 'WaitingForHealth', []]);
  });

  it('stops the one that is under way when it is not wanted any more', () => {
    const service = target({
      spec: { rollout: { target: 'dep_newer', running: true, epoch: 0, configured: null } },
    });
    const observed = seen({
      service,
      releaseJobs: [job(1, 'migrate', 'Running'), job(2, 'seed', 'Succeeded')],
    });
    const superseded = plan(built, observed, begun);
    assert.deepEqual(
      [superseded.phase, superseded.steps],
      ['Stopped', [{ do: 'stopReleaseJob', run: anId('run') }]],
    );
  });
});
