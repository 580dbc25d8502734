import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContainerState } from '../../../controllers/engine/engine.ts';
import { limitsOf } from '../../../controllers/drift/limits.ts';
import { driftOf, wantedOf } from '../../../controllers/replica/drift.ts';
import type { Observed } from '../../../controllers/replica/observe.ts';
import { plan } from '../../../controllers/replica/plan.ts';
import { aDeployment, aProject, aReplica, aService } from '../../support/store.ts';

const { resources } = aDeployment().spec.workload;

/** A replica of what its service has promoted. */
const deployment = aDeployment({ status: { phase: 'Healthy', epoch: 0 } });
const base = aService();
const service = {
  ...base,
  spec: { ...base.spec, rollout: { ...base.spec.rollout, target: deployment.id, running: true, epoch: 0 } },
  status: { ...base.status, promoted: deployment.id },
};
const observed: Observed = {
  ...{ deployment, service, project: aProject(), container: undefined },
  ...{ probe: undefined, routed: true, idle: true, stopping: false },
};
const replica = aReplica({ status: { resources } });
const wanted = wantedOf(replica, observed);
const container = (said: Partial<ContainerState> = {}): ContainerState => ({
  ...{ id: 'c1', name: wanted?.name ?? '', labels: {}, image: 'sha256:x', state: 'running', tunings: [] },
  ...{ paused: false, networks: [{ name: 'svc-node-shop', id: 'network-1', address: '10.210.0.2' }] },
  ...{ limits: limitsOf(resources), selfRestarting: false },
  ...{ startedAt: '2030-01-01T00:00:00.000Z', exit: null },
  ...said,
});
const drift = (said: Partial<ContainerState>, seen: Observed = observed) =>
  driftOf(replica, container(said), seen);
const none = { steps: [], found: [], isResize: false, isWorn: false };

describe('driftOf a replica', () => {
  it('finds nothing at what is as it was made', () => {
    assert.deepEqual(drift({}), none);
  });

  it('puts what limits it right at last, and says all of it in one sentence', () => {
    const limits = { memoryBytes: 2 ** 20, cpus: 1, pids: 512 };
    const tunings = [{ words: 'cpu shares 2', lasting: false }];
    assert.deepEqual(drift({ paused: true, limits, tunings }), {
      ...{ steps: [{ do: 'unpause' }, { do: 'limit' }], isResize: false, isWorn: false },
      found: ['it was paused', 'its limits were changed (cpu shares 2, memory 1.0 MiB instead of 512Mi)'],
    });
  });

  it('tells limits that somebody asked for from those that somebody changed', () => {
    const limits = { memoryBytes: 2 ** 28, cpus: 1, pids: 512 };
    assert.equal(drift({ limits }).isResize, false);
    const asked = aReplica({ status: { resources: { ...resources, memory: '256Mi' } } });
    assert.deepEqual(driftOf(asked, container({ limits }), observed), {
      ...{ steps: [{ do: 'limit' }], found: [], isResize: true, isWorn: false },
    });
  });

  const lasting = { tunings: [{ words: 'a cpu quota', lasting: true }] };

  it('has one replaced whose container will never be as it was', () => {
    assert.deepEqual(drift(lasting), {
      ...{ steps: [{ do: 'limit' }], isResize: false, isWorn: true },
      found: ['a cpu quota (only another container undoes that: it is replaced)'],
    });
  });

  const { rollout } = service.spec;
  for (const [when, seen] of [
    ['it is being replaced already', { spec: { ...service.spec, rollout: { ...rollout, epoch: 1 } } }],
    ['another deployment is on its way', { spec: { ...service.spec, rollout: { ...rollout, target: 'x' } } }],
    ['another deployment serves', { status: { ...service.status, promoted: 'x' } }],
    ['its service was stopped', { spec: { ...service.spec, rollout: { ...rollout, running: false } } }],
    ['its service goes', { deleted_at: '2030-01-01T00:00:00.000Z' }],
  ] as const)
    it(`lets it be while ${when}`, () => {
      assert.deepEqual(drift(lasting, { ...observed, service: { ...service, ...seen } }), none);
    });
});

describe('a replica whose project had to move to another range', () => {
  const project = aProject({ status: { subnet: '10.233.7.0/24' } });
  const doing = (said: Partial<Observed>): string[] =>
    plan(replica, { ...observed, project, ...said }, 0).steps.map((step) => step.do);

  it('is replaced, and not started again where it cannot be', () => {
    const exited = container({ state: 'exited' });
    assert.deepEqual(doing({}), ['unprobe', 'follow', 'renew']);
    assert.deepEqual(doing({ container: exited }), ['unprobe', 'follow', 'renew']);
    assert.deepEqual(doing({ container: container() }), ['renew', 'probe', 'follow']);
  });

  it('is left to the deployment that takes its place', () => {
    const spec = { ...service.spec, rollout: { ...service.spec.rollout, epoch: 1 } };
    assert.deepEqual(doing({ service: { ...service, spec } }), ['unprobe', 'follow']);
    const decision = plan(replica, { ...observed, project, service: { ...service, spec } }, 0);
    assert.deepEqual([decision.phase, decision.reason], ['Exited', 'StartFailed']);
    assert.match(decision.message, /had to move to another range/);
  });
});
