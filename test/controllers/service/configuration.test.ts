import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { configurationOf } from '../../../controllers/service/configuration.ts';
import type { Row } from '../../../specs/index.ts';
import { revisionOf } from '../../../specs/revision.ts';
import type { Rollout } from '../../../specs/service.ts';
import { aDeployment, anId, aService, releaseDefaults, type Said } from '../../support/store.ts';

const image = `sha256:${'a'.repeat(64)}`;
const one = anId('deployment', 1);
const two = anId('deployment', 2);
const workload = aDeployment().spec.workload;
const present = revisionOf(workload);
const earlier = revisionOf({ ...workload, env: { LOG_LEVEL: 'debug' } });

const first = (status: Said<'Deployment'>['status'] = {}): Row<'Deployment'> =>
  aDeployment({ id: one, status: { phase: 'Healthy', image, ...status } });
const second = (said: Said<'Deployment'> = {}): Row<'Deployment'> =>
  aDeployment({ ...said, id: two, spec: { number: 2, ...said.spec } });

/** A service that serves its first deployment. */
const serving = (rollout: Partial<Rollout> = {}, said: Said<'Service'> = {}): Row<'Service'> =>
  aService({
    ...said,
    spec: {
      ...said.spec,
      rollout: { target: one, running: true, epoch: 0, configured: earlier, ...rollout },
    },
    status: { promoted: one, previous: null, ...said.status },
  });

const state = (service: Row<'Service'>, deployments: Row<'Deployment'>[]): string =>
  configurationOf(service, deployments).state;

describe('a changed configuration', () => {
  it('is due on the image of what serves', () => {
    const configuration = configurationOf(serving(), [first()]);
    assert.equal(configuration.state, 'due');
    assert.equal(configuration.base.id, one);
    assert.deepEqual(configuration.workload, workload);
  });

  it('is due for what runs, and for nothing else', () => {
    const spec = { replicas: 5, tls_enabled: true, release: { ...releaseDefaults, drain: '5s', keep: 1 } };
    assert.equal(state(serving({ configured: present }, { spec }), [first()]), 'released');
    const changes: Said<'Service'>['spec'][] = [
      { port: 9000 },
      { env: { LOG_LEVEL: 'info' } },
      { secrets: { DATABASE_URL: 1 } },
      { health: { ...workload.health, path: '/healthz' } },
    ];
    for (const change of changes)
      assert.equal(state(serving({ configured: present }, { spec: change ?? {} }), [first()]), 'due');
  });

  it('is resized where it runs when only its limits differ from what serves', () => {
    const resources = { ...workload.resources, memory: '1Gi' };
    const resized = serving({ configured: present }, { spec: { resources } });
    const found = configurationOf(resized, [first()]);
    assert.equal(found.state, 'resized');
    assert.deepEqual(found.resources, resources);
    assert.equal(state(resized, [first({ phase: 'Failed' })]), 'due');
    assert.equal(state(resized, [aDeployment({ ...first(), spec: { stopped: true } })]), 'resized');
    const starting = second({ status: { phase: 'Starting', image } });
    const busy = serving({ configured: present, target: two }, { spec: { resources } });
    assert.equal(state(busy, [starting, first()]), 'waiting');
    const mixed = serving({ configured: present }, { spec: { resources, env: { LOG_LEVEL: 'info' } } });
    assert.equal(state(mixed, [first()]), 'due');
  });

  it('waits for the values of all its secrets, naming those that have none', () => {
    const secrets = { TOKEN: null, API_KEY: null, DATABASE_URL: 3 };
    assert.deepEqual(configurationOf(serving({}, { spec: { secrets } }), [first()]), {
      ...{ state: 'incomplete', missing: ['API_KEY', 'TOKEN'] },
    });
  });

  it('waits for a deployment that is under way, also one that is rolled back to', () => {
    const underWay = [
      second({ status: { phase: 'Building' } }),
      second({ status: { phase: 'Starting', image } }),
      second({ status: { phase: 'Inactive', image } }),
      second({ status: { phase: 'Stopped', image } }),
    ];
    for (const row of underWay) assert.equal(state(serving({ target: two }), [row, first()]), 'waiting');
    assert.equal(
      state(serving({ target: two }, { status: { promoted: null, previous: null } }), underWay.slice(0, 1)),
      'waiting',
    );
  });

  it('is due once that has failed or was called off, on the image of what serves', () => {
    const over = [
      second({ status: { phase: 'Failed', image } }),
      second({ status: { phase: 'Stopped', image: null } }),
      second({ spec: { stopped: true }, status: { phase: 'Starting', image } }),
    ];
    for (const row of over) {
      const configuration = configurationOf(serving({ target: two }), [row, first()]);
      assert.equal(configuration.state, 'due');
      assert.equal(configuration.base.id, one);
    }
  });

  it('is not tried again when its deployment failed, nor released by a rollback', () => {
    const failed = second({ spec: { reuse: one }, status: { phase: 'Failed' } });
    assert.equal(state(serving({ target: two, configured: present }), [failed, first()]), 'released');
  });

  it('is due for what could not start again, once that is sure', () => {
    assert.equal(state(serving(), [first({ phase: 'Starting' })]), 'waiting');
    assert.equal(state(serving(), [first({ phase: 'Failed' })]), 'due');
    const failed = second({ status: { phase: 'Failed', image } });
    assert.equal(state(serving({ target: two }), [failed, first({ phase: 'Starting' })]), 'waiting');
  });

  it('of a stopped service waits for the start, and until what ran last serves again', () => {
    assert.equal(state(serving({ running: false }), [first({ phase: 'Stopped' })]), 'stopped');
    const stopped = aDeployment({ ...first({ phase: 'Stopped' }), spec: { stopped: true } });
    assert.equal(state(serving(), [stopped]), 'stopped');
    assert.equal(state(serving(), [first({ phase: 'Stopped' })]), 'waiting');
    assert.equal(state(serving(), [first()]), 'due');
  });

  it('is left to the next push while nothing ever served', () => {
    assert.equal(state(aService(), []), 'released');
    const failed = first({ phase: 'Failed' });
    const service = serving({}, { status: { promoted: null, previous: null } });
    assert.equal(state(service, [failed]), 'released');
  });

  it('is reckoned from what was deployed where nothing is on record', () => {
    assert.equal(state(serving({ configured: null }), [first()]), 'released');
    const spec = { env: { LOG_LEVEL: 'info' } };
    assert.equal(state(serving({ configured: null }, { spec }), [first()]), 'due');
  });
});
