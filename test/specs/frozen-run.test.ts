import assert from 'node:assert/strict';
import { it } from 'node:test';
import { frozenRun } from '../../specs/frozen-run.ts';
import { aDeployment, aJob, anId } from '../support/store.ts';

const cause = { trigger: 'request', scheduled_for: null } as const;
const image = `sha256:${'a'.repeat(64)}`;

it('takes image, environment and versions of secrets from the deployment, and the rest from the job', () => {
  const workload = aDeployment().spec.workload;
  const deployment = aDeployment({
    spec: { workload: { ...workload, env: { A: 'service', B: 'service' }, secrets: { KEY: 3, B2: 1 } } },
    status: { image },
  });
  const job = aJob({
    spec: {
      image: null,
      service_id: anId('service'),
      env: { A: 'job', B2: 'plain' },
      retries: 2,
      concurrency: 'allow',
    },
  });
  const run = frozenRun(job, deployment, cause) ?? assert.fail();
  assert.deepEqual(
    [run.image, run.env, run.secrets, run.deployment_id, run.retries, run.exclusive],
    [image, { A: 'job', B: 'service', B2: 'plain' }, { KEY: 3 }, deployment.id, 2, false],
  );
});

it('needs no deployment where the job has an image, and has none where its service has nothing deployed', () => {
  const run = frozenRun(aJob(), undefined, cause) ?? assert.fail();
  assert.deepEqual([run.image, run.deployment_id, run.secrets], ['busybox:1.37', null, {}]);
  const ofService = aJob({ spec: { image: null, service_id: anId('service') } });
  assert.equal(frozenRun(ofService, undefined, cause), undefined);
  assert.equal(frozenRun(ofService, aDeployment(), cause), undefined);
});
