import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plan } from '../../../controllers/service/plan.ts';
import type { Observed } from '../../../controllers/service/observe.ts';
import { summarize } from '../../../controllers/service/status.ts';
import type { Row } from '../../../specs/index.ts';
import {
  aDeployment,
  anId,
  aReplica,
  aService,
  anUpload,
  releaseDefaults,
  aDomain,
} from '../../support/store.ts';

const served = (n: number): Row<'Deployment'> =>
  aDeployment({
    id: anId('deployment', n),
    spec: { number: n },
    status: { phase: 'Inactive', image: `sha256:${n}`, promoted_at: `2030-01-0${n}T00:00:00.000Z` },
  });

const seen = (said: Partial<Observed> = {}): Observed => {
  return { deployments: [], ready: 1, replicas: [], uploads: [], domains: [], jobs: [], needed: [], ...said };
};
const released = (service: Row<'Service'>, deployments: Row<'Deployment'>[]): number[] =>
  plan(service, seen({ deployments })).steps.map((step) =>
    step.do === 'releaseImage' ? step.deployment.spec.number : NaN,
  );

it('keeps the images of the newest that served, and gives up the rest', () => {
  const service = aService({ spec: { release: { ...releaseDefaults, drain: '30s', keep: 2 } } });
  assert.deepEqual(released(service, [5, 4, 3, 2, 1].map(served)), [3, 2, 1]);
});

it('never gives up the promoted one, the one before, or the target', () => {
  const service = aService({
    spec: {
      release: { ...releaseDefaults, drain: '30s', keep: 1 },
      rollout: { target: anId('deployment', 1), running: true, epoch: 0, configured: null },
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

it('releases a changed configuration, and leaves the images to the next pass', () => {
  const service = aService({
    spec: { rollout: { target: anId('deployment', 9), running: true, epoch: 0, configured: 'another' } },
    status: { promoted: anId('deployment', 9), previous: null },
  });
  const serving = aDeployment({ ...served(9), status: { phase: 'Healthy', image: 'sha256:9' } });
  const deployments = [serving, ...[5, 4, 3, 2, 1].map(served)];
  assert.deepEqual(plan(service, seen({ deployments })).steps, [{ do: 'release' }]);
});

describe('a service that is being deleted', () => {
  const at = '2030-01-01T00:00:00.000Z';
  const going = aService({ deleted_at: at });
  const doing = (observed: Observed): string[] => plan(going, observed).steps.map((step) => step.do);
  const saying = (observed: Observed): string | undefined => {
    const { conditions } = summarize(going, observed, plan(going, observed).configuration, Date.parse(at));
    return conditions.find(({ type }) => type === 'Deleted')?.message;
  };

  it('has its deployments and uploads deleted, and waits for them', () => {
    const deployments = [aDeployment({ id: anId('deployment', 2) }), aDeployment({ deleted_at: at })];
    assert.deepEqual(plan(going, seen({ deployments, uploads: [anUpload()] })).steps, [
      { do: 'deleteOwned', rows: [deployments[0], anUpload()] },
    ]);
    const all = deployments.map((row) => ({ ...row, deleted_at: at }));
    const left = seen({ deployments: all, replicas: [aReplica({ deleted_at: at })] });
    assert.deepEqual(doing(left), []);
    assert.equal(saying(left), 'Waiting for what belongs to it to be removed: 2 deployments, 1 replica.');
  });

  it('has its domains deleted as well, so that their hostnames are free', () => {
    const domains = [aDomain()];
    assert.deepEqual(plan(going, seen({ domains })).steps, [{ do: 'deleteOwned', rows: domains }]);
    const left = seen({ domains: [aDomain({ deleted_at: at })] });
    assert.deepEqual(doing(left), []);
    assert.equal(saying(left), 'Waiting for what belongs to it to be removed: 1 domain.');
  });

  it('says that it waits for the engine', () => {
    const message = 'The container engine is out of reach: check that it runs';
    const trouble = { type: 'Ready', status: 'False', reason: 'EngineUnavailable', message } as const;
    const replica = aReplica({
      deleted_at: at,
      status: { conditions: [{ ...trouble, last_transition_at: at }] },
    });
    const deployment = aDeployment({ deleted_at: at, status: { reason: 'EngineUnavailable', message } });
    for (const left of [seen({ replicas: [replica] }), seen({ deployments: [deployment] })])
      assert.ok(saying(left)?.endsWith(message), saying(left));
  });

  it('goes last', () => {
    assert.deepEqual(doing(seen()), ['removeLogs', 'purge']);
  });
});
