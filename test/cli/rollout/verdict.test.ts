import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSettled as isSettledInSpecs, DeploymentPhase } from '../../../specs/deployment.ts';
import type { DeploymentResource, ServiceResource } from '../../../specs/resources.ts';
import { isSettled, verdictOf, type Goal, type Verdict } from '../../../cli/rollout/verdict.ts';

const service = (said: Partial<ServiceResource> = {}) =>
  ({
    running: true,
    epoch: 0,
    target_deployment_id: 'a',
    promoted_deployment_id: 'a',
    ...said,
  }) as ServiceResource;
const deployment = (said: Partial<DeploymentResource> = {}) =>
  ({
    id: 'a',
    status: 'Healthy',
    reason: 'Promoted',
    message: 'Serving.',
    epoch: 0,
    failed_epoch: null,
    conditions: [],
    replicas: [],
    ...said,
  }) as DeploymentResource;
const replica = {} as DeploymentResource['replicas'][number];

type Row = [string, Goal, ServiceResource, DeploymentResource[], Verdict['state']];

describe('a goal', () => {
  const serving: Goal = { want: 'serving', deployment: 'a' };
  const restarted: Goal = { want: 'serving', deployment: 'a', epoch: 2 };
  const stopped: Goal = { want: 'stopped' };
  const off = service({ running: false });
  const rows: Row[] = [
    ['served', serving, service(), [deployment()], 'reached'],
    [
      'served while a newer one is under way',
      serving,
      service({ target_deployment_id: 'b' }),
      [deployment()],
      'reached',
    ],
    [
      'not yet taken up: inactive as before',
      serving,
      service({ promoted_deployment_id: 'b' }),
      [deployment({ status: 'Inactive' })],
      'waiting',
    ],
    [
      'not yet taken up: stopped as before',
      serving,
      service(),
      [deployment({ status: 'Stopped' })],
      'waiting',
    ],
    [
      'starting',
      serving,
      service({ promoted_deployment_id: 'b' }),
      [deployment({ status: 'Starting' })],
      'waiting',
    ],
    [
      'promoted, not routed yet',
      serving,
      service(),
      [deployment({ status: 'Starting', reason: 'WaitingForRoute' })],
      'waiting',
    ],
    [
      'failed',
      serving,
      service({ promoted_deployment_id: 'b' }),
      [deployment({ status: 'Failed' })],
      'failed',
    ],
    [
      'given up for another',
      serving,
      service({ target_deployment_id: 'b', promoted_deployment_id: 'c' }),
      [deployment({ status: 'Stopped' })],
      'failed',
    ],
    ['stopped by somebody', serving, off, [deployment()], 'failed'],
    ['gone', serving, service(), [], 'failed'],
    ['restarted', restarted, service({ epoch: 2 }), [deployment({ epoch: 2 })], 'reached'],
    ['restarted twice', restarted, service({ epoch: 3 }), [deployment({ epoch: 3 })], 'reached'],
    ['not yet restarted', restarted, service({ epoch: 2 }), [deployment({ epoch: 1 })], 'waiting'],
    [
      'not yet restarted, an earlier time failed',
      restarted,
      service({ epoch: 2 }),
      [deployment({ epoch: 0, failed_epoch: 1 })],
      'waiting',
    ],
    [
      'a restart that failed',
      restarted,
      service({ epoch: 2 }),
      [deployment({ epoch: 1, failed_epoch: 2 })],
      'failed',
    ],
    [
      'stopped',
      stopped,
      off,
      [deployment({ status: 'Stopped' }), deployment({ status: 'Failed' })],
      'reached',
    ],
    ['stopped without ever being deployed', stopped, off, [], 'reached'],
    [
      'not stopped yet',
      stopped,
      off,
      [deployment({ status: 'Stopped' }), deployment({ status: 'Healthy' })],
      'waiting',
    ],
    ['a build not cancelled yet', stopped, off, [deployment({ status: 'Building' })], 'waiting'],
    [
      'stopped, replicas draining',
      stopped,
      off,
      [deployment({ status: 'Stopped', replicas: [replica] })],
      'waiting',
    ],
    ['started by somebody', stopped, service(), [deployment()], 'failed'],
  ];
  for (const [name, goal, now, deployments, state] of rows) {
    it(`${name}: ${state}`, () => assert.equal(verdictOf(goal, now, deployments).state, state));
  }

  it('says why a restart failed, also once the deployment says again that it is serving', () => {
    const message = 'The restart failed; the replicas before it go on. It answered 500.';
    const at = '2030-01-01T00:00:00.000Z';
    const restart = {
      type: 'Restarted',
      status: 'False' as const,
      reason: 'X',
      message,
      last_transition_at: at,
    };
    const after = deployment({ epoch: 1, failed_epoch: 2, message: 'Serving.', conditions: [restart] });
    assert.deepEqual(verdictOf(restarted, service({ epoch: 2 }), [after]), { state: 'failed', message });
  });

  it('says while it waits what the controller says', () => {
    const message = 'Waiting for the replica to answer /.';
    const words = (said: Partial<DeploymentResource>) =>
      verdictOf(restarted, service({ epoch: 2 }), [deployment({ message, ...said })]);
    assert.deepEqual(words({ reason: 'WaitingForHealth' }), { state: 'waiting', message });
    assert.deepEqual(words({}), { state: 'waiting', message: 'Waiting for the node to take it up.' });
  });
});

describe('a settled phase', () => {
  for (const { const: phase } of DeploymentPhase.anyOf) {
    it(`${phase} is what specs/ says`, () => assert.equal(isSettled(phase), isSettledInSpecs(phase)));
  }
});
