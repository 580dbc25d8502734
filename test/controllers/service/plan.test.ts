import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plan } from '../../../controllers/service/plan.ts';
import type { Row } from '../../../specs/index.ts';
import { aDeployment, anId, aService } from '../../support/store.ts';

const served = (n: number): Row<'Deployment'> =>
  aDeployment({
    id: anId('deployment', n),
    spec: { number: n },
    status: { phase: 'Inactive', image: `sha256:${n}`, promoted_at: `2030-01-0${n}T00:00:00.000Z` },
  });

const released = (service: Row<'Service'>, deployments: Row<'Deployment'>[]): number[] =>
  plan(service, { deployments, ready: 1 }).steps.map(({ deployment }) => deployment.spec.number);

it('keeps the images of the newest that served, and gives up the rest', () => {
  const service = aService({ spec: { release: { drain: '30s', keep: 2 } } });
  assert.deepEqual(released(service, [5, 4, 3, 2, 1].map(served)), [3, 2, 1]);
});

it('never gives up the promoted one, the one before, or the target', () => {
  const service = aService({
    spec: {
      release: { drain: '30s', keep: 1 },
      rollout: { target: anId('deployment', 1), running: true, epoch: 0 },
    },
    status: { promoted: anId('deployment', 5), previous: anId('deployment', 2) },
  });
  assert.deepEqual(released(service, [5, 4, 3, 2, 1].map(served)), [3]);
});

it('gives up what was built and never served', () => {
  const failed = aDeployment({ status: { phase: 'Failed', image: 'sha256:x' } });
  const starting = aDeployment({
    id: anId('deployment', 2),
    spec: { number: 2 },
    status: { phase: 'Starting', image: 'sha256:y' },
  });
  assert.deepEqual(released(aService(), [starting, failed]), [1]);
});
