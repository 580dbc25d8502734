import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plan } from '../../../controllers/deployment/plan.ts';
import { aDeployment } from '../../support/store.ts';
import { begun, image, replica, seen, target, verdict } from './scene.ts';

const at = '2030-01-01T00:00:00.000Z';
const soon = begun + 1_000;

describe('a deployment whose service is being deleted', () => {
  it('stops, and says why', () => {
    const service = target({ deleted_at: at });
    const row = aDeployment({ status: { phase: 'Healthy', image } });
    const decision = plan(row, seen({ service, replicas: [replica()] }), soon);
    assert.deepEqual(verdict(decision), ['Stopped', 'Deleting', ['removeReplica']]);
  });
});

describe('a deployment that is being deleted', () => {
  const row = aDeployment({ deleted_at: at, status: { phase: 'Healthy', image } });

  it('calls its build off and waits until that has ended', () => {
    const building = aDeployment({ deleted_at: at, status: { phase: 'Building' } });
    const decision = plan(building, seen({ build: { state: 'running' } }), soon);
    assert.deepEqual(verdict(decision), ['Stopped', 'Deleting', ['forgetBuild']]);
    assert.equal(decision.message, 'Waiting for its build to end.');
  });

  it('waits for its replicas, those that drain too', () => {
    const two = plan(row, seen({ replicas: [replica()], leaving: 1 }), soon);
    assert.deepEqual(verdict(two), ['Stopped', 'Deleting', ['removeReplica']]);
    assert.equal(two.message, 'Waiting for its replicas to be gone: 2 left.');
    assert.deepEqual(verdict(plan(row, seen({ leaving: 1 }), soon)), ['Stopped', 'Deleting', []]);
  });

  it('gives up its image and its logs, and the row at last, also without its service', () => {
    const last = ['removeImage', 'removeLogs', 'purge'];
    for (const service of [target({ deleted_at: at }), undefined])
      assert.deepEqual(verdict(plan(row, seen({ service }), soon)), ['Stopped', 'Deleting', last]);
  });

  it('keeps the phase that it ended in', () => {
    const failed = aDeployment({ deleted_at: at, status: { phase: 'Failed' } });
    assert.equal(plan(failed, seen({ leaving: 1 }), soon).phase, 'Failed');
  });
});
