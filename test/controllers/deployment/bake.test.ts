import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isWarm, judge } from '../../../controllers/deployment/bake.ts';
import { plan } from '../../../controllers/deployment/plan.ts';
import { noTraffic, type Traffic } from '../../../ingress/index.ts';
import { timestamp } from '../../../specs/meta.ts';
import type { Bake } from '../../../specs/service.ts';
import { aDeployment, anId, aReplica, type Said } from '../../support/store.ts';
import { begun, image, replica, seen, target, verdict } from './scene.ts';

const [id, before] = [anId('deployment'), anId('deployment', 2)];
const bakeOf = (said: Partial<Bake> = {}): Bake => ({
  ...{ deployment: id, previous: before, earlier: null, before: { requests: 1_000, bad: 10 } },
  ...{ since: timestamp(begun), until: timestamp(begun + 60_000) },
  ...said,
});
const conditions = (reason: string) => [
  { type: 'Ready', status: 'False', reason, message: '', last_transition_at: timestamp(begun) } as const,
];
const own = aReplica({ status: { phase: 'Ready' } });
const dead = aReplica({ status: { phase: 'Exited', crashes: 1, conditions: conditions('Exited') } });
const warm = aReplica({ id: anId('replica', 2), owner: before, status: { phase: 'Ready' } });
const traffic = (said: Partial<Traffic> = {}) => ({
  replicas: { [own.id]: { ...noTraffic(), ...said } },
  services: {},
});

describe('a deployment that is watched', () => {
  const at = (said: Partial<Parameters<typeof judge>[1]> = {}, bake = bakeOf(), after = 10_000) =>
    judge(bake, { replicas: [own], warm: [warm], traffic: traffic(), ...said }, begun + after);
  const share = (requests: number, errors: number, bake = bakeOf()) =>
    at({ traffic: traffic({ requests, errors }) }, bake).is;

  it('is good once its time is over', () => {
    assert.deepEqual(at(), { is: 'open', requeueAfter: 2_000 });
    assert.deepEqual(at({}, bakeOf(), 59_500), { is: 'open', requeueAfter: 500 });
    assert.deepEqual(at({}, bakeOf(), 60_000), { is: 'good' });
  });

  it('is bad when more requests end badly than with the one before, by both measures', () => {
    assert.equal(share(100, 6), 'open', '1 % before, 6 % now: not more than five points');
    assert.equal(share(100, 7), 'bad');
    const bad = bakeOf({ before: { requests: 100, bad: 20 } });
    assert.equal(share(100, 40, bad), 'open', 'twice as many, not more');
    assert.equal(share(100, 41, bad), 'bad');
    assert.equal(share(100, 100, bakeOf({ before: { requests: 100, bad: 60 } })), 'open');
  });

  it('is not judged by a few requests', () => {
    assert.equal(share(19, 19), 'open');
    assert.equal(share(20, 4), 'open');
    assert.equal(share(20, 5), 'bad');
  });

  it('is asked neither for what was retried elsewhere nor for clients that left', () => {
    const said = { requests: 40, retried: 15, gone: 10, errors: 10 };
    assert.equal(at({ traffic: traffic(said) }).is, 'open', '15 are left');
  });

  it('counts what broke off, and says the figures', () => {
    const found = at({ traffic: traffic({ requests: 50, errors: 5, failed: 20 }) });
    assert.deepEqual(found, {
      is: 'bad',
      message:
        '25 of 50 requests (50 %) failed or were answered with a status from 500 on; with the one before 10 of 1000 requests (1 %).',
    });
  });

  it('is bad when a replica dies a second time, unless those that stand by die as well', () => {
    const twice = aReplica({ status: { phase: 'Starting', crashes: 2 } });
    const other = aReplica({ id: anId('replica', 3), status: { phase: 'Ready' } });
    assert.equal(at({ replicas: [twice, other] }).is, 'bad');
    const shaken = aReplica({ ...warm, status: { ...warm.status, crashes: 1 } });
    assert.equal(at({ replicas: [twice, other], warm: [shaken] }).is, 'open');
  });

  it('is bad when none of it is ready for two seconds', () => {
    assert.equal(at({ replicas: [dead] }, bakeOf(), 1_999).is, 'open');
    assert.equal(at({ replicas: [dead] }, bakeOf(), 2_000).is, 'bad');
    assert.equal(at({ replicas: [dead, own] }).is, 'open');
  });

  it('has longer to come back where what stands by has to be started first', () => {
    const stopped = aReplica({
      ...{ ...warm, generation: 2, observed_generation: 2 },
      spec: { ...warm.spec, paused_at: timestamp(begun) },
      status: { ...warm.status, phase: 'Paused' },
    });
    assert.equal(at({ replicas: [dead], warm: [stopped] }, bakeOf(), 9_999).is, 'open');
    assert.equal(at({ replicas: [dead], warm: [stopped] }, bakeOf(), 10_000).is, 'bad');
    const resumed = aReplica({ ...stopped, generation: 3 });
    assert.equal(
      at({ replicas: [dead], warm: [resumed] }, bakeOf(), 10_000).is,
      'open',
      'not known to be stopped',
    );
  });

  it('stays, however bad, when nothing that stands by is ready', () => {
    const gone = aReplica({ ...warm, status: { ...warm.status, phase: 'Exited' } });
    assert.equal(at({ replicas: [dead], warm: [gone] }).is, 'open');
    assert.equal(at({ replicas: [dead], warm: [] }, bakeOf(), 60_000).is, 'good');
  });
});

describe('the plan of one that is watched', () => {
  const row = aDeployment({ status: { phase: 'Healthy', image, epoch: 0, promoted_at: timestamp(begun) } });
  const service = target({ status: { promoted: id, previous: before, bake: bakeOf() } });
  const view = replica({ status: { phase: 'Ready' } });
  const world = { service, replicas: [view], warm: [warm], routed: [view.row.id] };

  it('looks again, and ends the watch in the end', () => {
    const open = plan(row, seen({ ...world, traffic: traffic() }), begun + 1_000);
    assert.deepEqual([open.phase, open.requeueAfter, open.endBake], ['Healthy', 2_000, undefined]);
    const good = plan(row, seen({ ...world, traffic: traffic() }), begun + 60_000);
    assert.deepEqual([good.phase, good.endBake], ['Healthy', 'keep']);
  });

  it('fails it, and leaves its replicas until routing has gone back', () => {
    const bad = plan(row, seen({ ...world, traffic: traffic({ requests: 50, errors: 50 }) }), begun + 1_000);
    assert.deepEqual(verdict(bad), ['Failed', 'RolledBack', []]);
    assert.equal(bad.endBake, 'take back');
  });

  it('ends the watch when it is stopped', () => {
    const stopped = aDeployment({ ...row, spec: { ...row.spec, stopped: true } });
    const decision = plan(stopped, seen(world), begun);
    assert.deepEqual(
      [...verdict(decision), decision.endBake],
      ['Stopped', 'Stopped', ['removeReplica'], 'keep'],
    );
  });
});

describe('the deployment before', () => {
  const old = (said: Said<'Deployment'> = {}) =>
    aDeployment({
      id: before,
      ...said,
      status: { phase: 'Healthy', image, epoch: 1, promoted_at: timestamp(begun), ...said.status },
    });
  const service = target({ status: { promoted: id, previous: before, bake: bakeOf() } });

  it('stands by with the replicas that served, and lets go of those of a restart', () => {
    const serving = replica({ spec: { epoch: 1 }, status: { phase: 'Ready' } });
    const restart = replica({ id: anId('replica', 2), spec: { epoch: 2 } });
    const decision = plan(old(), seen({ service, replicas: [serving, restart] }), begun);
    assert.deepEqual(verdict(decision), ['Inactive', 'StandingBy', ['removeReplica']]);
    assert.deepEqual(decision.steps, [{ do: 'removeReplica', id: restart.row.id }]);
    assert.equal(decision.standsBy, true);
  });

  it('goes when the watch is over, when another one is promoted, and when the service stops', () => {
    const standing = old({ status: { phase: 'Inactive', reason: 'StandingBy' } });
    const bake = bakeOf();
    const ends = [
      target({ status: { promoted: id, bake: null } }),
      target({ status: { promoted: anId('deployment', 3), bake } }),
      target({
        spec: { rollout: { ...service.spec.rollout, running: false } },
        status: { promoted: id, bake },
      }),
    ];
    // Somebody went back to it by hand, and it did not come up.
    assert.equal(isWarm(old({ status: { phase: 'Failed' } }), service), false);
    for (const end of ends) {
      assert.equal(isWarm(standing, end), false);
      const { steps, standsBy } = plan(standing, seen({ service: end, replicas: [replica()] }), begun);
      assert.deepEqual([steps.map((step) => step.do), standsBy], [['removeReplica'], undefined]);
    }
  });
});
