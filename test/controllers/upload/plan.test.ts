import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plan } from '../../../controllers/upload/plan.ts';
import { aDeployment, anUpload } from '../../support/store.ts';

const begun = Date.parse('2030-01-01T00:00:00.000Z');
const hour = 3_600_000;

it('waits an hour for a deployment, and not longer', () => {
  assert.deepEqual(plan(anUpload(), { users: [] }, begun + 1_000), { steps: [], requeueAfter: hour - 1_000 });
  assert.deepEqual(plan(anUpload(), { users: [] }, begun + hour).steps, [{ do: 'remove' }]);
});

it('stays while a build needs it, however long, and goes when it is done or given up', () => {
  assert.deepEqual(
    plan(anUpload(), { users: [aDeployment({ status: { phase: 'Building' } })] }, begun + 9 * hour).steps,
    [],
  );
  const built = aDeployment({ status: { phase: 'Starting', image: 'sha256:x' } });
  assert.deepEqual(plan(anUpload(), { users: [built] }, begun).steps, [{ do: 'remove' }]);
  for (const phase of ['Failed', 'Stopped'] as const) {
    assert.deepEqual(plan(anUpload(), { users: [aDeployment({ status: { phase } })] }, begun).steps, [
      { do: 'remove' },
    ]);
  }
});
