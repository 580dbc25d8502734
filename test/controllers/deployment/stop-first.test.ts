import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Observed } from '../../../controllers/deployment/observe.ts';
import { plan } from '../../../controllers/deployment/plan.ts';
import { parkLimitMs } from '../../../controllers/deployment/stop-first.ts';
import type { Row } from '../../../specs/index.ts';
import { timestamp } from '../../../specs/meta.ts';
import { aDeployment, anId, aReplica, type Said } from '../../support/store.ts';
import { begun, image, seen, target } from './scene.ts';

const soon = begun + 1_000;
const at = timestamp(begun);
const [old, next] = [anId('deployment'), anId('deployment', 2)];
const volumes = [{ name: 'data', mount: '/data' }];
const workload = { ...aDeployment().spec.workload, volumes };

/** A replica of the old deployment, of the given n. */
const replicaOf = (deployment: string, n: number, said: Said<'Replica'> = {}): Row<'Replica'> =>
  aReplica({
    ...{ id: anId('replica', n), owner: deployment, ...said },
    spec: { deployment_id: deployment, ...said.spec },
    status: { phase: 'Ready', ...said.status },
  });
const serving = replicaOf(old, 1);
const stopping = replicaOf(old, 1, { spec: { paused_at: at }, status: { phase: 'Ready' } });
const stopped = replicaOf(old, 1, {
  ...{ generation: 2, observed_generation: 2 },
  spec: { paused_at: at },
  status: { phase: 'Paused' },
});
const candidate = (phase: 'Starting' | 'Ready'): Row<'Replica'> => replicaOf(next, 2, { status: { phase } });

const service = (said: { promoted?: string | null; target?: string; parked?: string | null } = {}) =>
  target({
    spec: { rollout: { target: said.target ?? next, running: true, epoch: 0, configured: null } },
    status: {
      promoted: said.promoted === undefined ? old : said.promoted,
      parked_since: said.parked ?? null,
    },
  });
const starting = aDeployment({
  ...{ id: next, name: '2' },
  spec: { number: 2, workload },
  status: { phase: 'Starting', image, starting_at: at },
});
const promoted = aDeployment({
  id: old,
  spec: { workload },
  status: { phase: 'Healthy', image, epoch: 0, promoted_at: at },
});
const views = (rows: Row<'Replica'>[]) => rows.map((row) => ({ row, output: [] }));
const doing = (row: Row<'Deployment'>, said: Partial<Observed>, now = soon): string =>
  plan(row, seen(said), now)
    .steps.map((step) => step.do)
    .join(' ');

describe('a stop-first release', () => {
  it('stops what serves first, and makes nothing before all of it has stopped', () => {
    const parked = service({ parked: at });
    for (const [siblings, of, steps, reason] of [
      [[serving], service(), 'pauseOthers', 'StoppingOld'],
      [[stopping], parked, '', 'StoppingOld'],
      // Written by a pass that had not seen that it was to stop again.
      [[{ ...stopped, generation: 3 }], parked, '', 'StoppingOld'],
      [[stopped, { ...serving, deleted_at: at }], parked, '', 'StoppingOld'],
      [[stopped], parked, 'createReplica', 'WaitingForHealth'],
      [[], service({ promoted: null }), 'createReplica', 'WaitingForHealth'],
    ] as const) {
      const decision = plan(starting, seen({ service: of, siblings: [...siblings] }), soon);
      assert.deepEqual([decision.steps.map((step) => step.do).join(' '), decision.reason], [steps, reason]);
    }
  });

  it('is not how a service without data is released, unless it asks for it', () => {
    const plain = aDeployment({
      ...starting,
      spec: { ...starting.spec, workload: aDeployment().spec.workload },
    });
    assert.equal(doing(plain, { service: service(), siblings: [serving] }), 'createReplica');
    const recreated = service();
    recreated.spec.release.strategy = 'recreate';
    assert.equal(doing(plain, { service: recreated, siblings: [serving] }), 'pauseOthers');
  });

  it('lets requests go once every worker routes to the new one, or when they have waited too long', () => {
    const ready = candidate('Ready');
    const gated = { siblings: [stopped, ready], replicas: views([ready]) };
    assert.equal(doing(starting, { service: service({ parked: at }), ...gated }), 'promote');
    const live = aDeployment({ ...starting, status: { ...starting.status, epoch: 0 } });
    const now = service({ promoted: next, parked: at });
    assert.equal(doing(live, { service: now, ...gated, routed: [] }), '');
    assert.equal(doing(live, { service: now, ...gated, routed: [ready.id] }), 'unpark');
    assert.equal(doing(live, { service: now, ...gated, routed: [] }, begun + parkLimitMs), 'unpark');
    assert.equal(doing(live, { service: service({ promoted: next }), ...gated, routed: [ready.id] }), '');
  });

  it('fails when what serves does not stop', () => {
    const said = { service: service({ parked: at }), siblings: [stopping] };
    assert.equal(plan(starting, seen(said), begun + parkLimitMs - 1).phase, 'Starting');
    const { phase, reason } = plan(starting, seen(said), begun + parkLimitMs);
    assert.deepEqual([phase, reason], ['Failed', 'OldNotStopped']);
  });
});

describe('what is paused', () => {
  const parked = service({ parked: at });
  const own = { service: parked, replicas: views([stopped]) };

  it('waits while another one is tried, and makes nothing', () => {
    const trying = { ...own, target: starting, siblings: [stopped, candidate('Starting')] };
    assert.equal(doing(promoted, trying), '');
    assert.equal(doing(promoted, trying, begun + parkLimitMs), 'unpark');
  });

  it('goes on once that has failed and all of it is gone', () => {
    const failed = aDeployment({ ...starting, status: { ...starting.status, phase: 'Failed' } });
    const leaving = { ...candidate('Starting'), deleted_at: at };
    assert.equal(doing(promoted, { ...own, target: failed, siblings: [stopped, leaving] }), '');
    assert.equal(doing(promoted, { ...own, target: failed, siblings: [stopped] }), 'resume');
    const ending = { ...stopped, status: { ...stopped.status, phase: 'Ready' as const } };
    const early = { ...own, replicas: views([ending]), siblings: [ending], target: failed };
    assert.equal(doing(promoted, early), '', 'nor before it has stopped itself');
    const resumed = { service: parked, replicas: views([serving]), siblings: [serving], target: failed };
    assert.equal(doing(promoted, { ...resumed, routed: [] }), '');
    assert.equal(doing(promoted, { ...resumed, routed: [serving.id] }), 'unpark');
  });

  it('goes on when a newer one is only being built, or runs its release jobs', () => {
    for (const status of [
      { phase: 'Building', image: null },
      { phase: 'Starting', reason: 'RunningReleaseJob' },
    ] as const) {
      const newer = aDeployment({ ...starting, status: { ...starting.status, ...status } });
      assert.equal(doing(promoted, { ...own, target: newer, siblings: [stopped] }), 'resume', status.phase);
    }
  });

  it('goes on when the one after it was taken back, once that is gone', () => {
    const standing = aDeployment({ ...promoted, status: { ...promoted.status, phase: 'Inactive' } });
    const bad = aDeployment({ ...starting, status: { ...starting.status, phase: 'Failed' } });
    const leaving = { ...candidate('Ready'), deleted_at: at };
    const waiting = { ...own, target: bad, siblings: [stopped, leaving] };
    const { phase, reason, steps } = plan(standing, seen(waiting), soon);
    assert.deepEqual([phase, reason, steps], ['Starting', 'WaitingForHealth', []]);
    assert.equal(doing(standing, { ...own, target: bad, siblings: [stopped] }), 'resume');
    const back = aDeployment({ ...standing, status: { ...standing.status, phase: 'Starting' } });
    const down = replicaOf(old, 1, { status: { phase: 'Exited', crashes: 3 } });
    const resumed = { service: parked, replicas: views([down]), siblings: [down], target: bad };
    const coming = plan(back, seen({ ...resumed, routed: [] }), soon);
    assert.deepEqual(
      [coming.phase, coming.reason],
      ['Starting', 'WaitingForHealth'],
      'kept alive, not judged',
    );
    assert.equal(doing(back, { ...resumed, routed: [] }, begun + parkLimitMs), 'unpark');
    const up = { ...resumed, replicas: views([serving]), siblings: [serving], routed: [serving.id] };
    assert.equal(plan(back, seen(up), soon).phase, 'Healthy');
  });

  it('is made anew when somebody goes back to it by hand, and passes its gate', () => {
    const watched = service({ target: old, promoted: next, parked: at });
    const standing = aDeployment({ ...promoted, status: { ...promoted.status, phase: 'Inactive' } });
    const quiet = replicaOf(next, 2, { ...stopped, id: anId('replica', 2), owner: next });
    assert.equal(
      doing(standing, {
        ...own,
        service: watched,
        siblings: [stopped, { ...quiet, spec: { ...quiet.spec, deployment_id: next } }],
      }),
      'removeReplica createReplica',
    );
  });

  it('makes nothing while another one is started in its place, of a service that was stopped', () => {
    const down = aDeployment({ ...promoted, status: { ...promoted.status, phase: 'Stopped', epoch: null } });
    const theirs = candidate('Starting');
    const yielding = { service: service(), target: starting, siblings: [theirs] };
    assert.equal(doing(down, yielding), '', 'it neither starts nor stops the one that is wanted');
    const mine = replicaOf(old, 1, { status: { phase: 'Starting' } });
    assert.equal(
      doing(down, { ...yielding, replicas: views([mine]), siblings: [mine, theirs] }),
      'removeReplica',
    );
    const failed = aDeployment({ ...starting, status: { ...starting.status, phase: 'Failed' } });
    assert.equal(doing(down, { service: service(), target: failed, siblings: [] }), 'createReplica');
  });

  it('is not restarted while another one is about to take its place', () => {
    const asked = service({ parked: at });
    asked.spec.rollout.epoch = 1;
    const both = { service: asked, target: starting, siblings: [stopped, candidate('Starting')] };
    assert.equal(doing(promoted, { ...both, replicas: views([stopped]) }), '');
  });

  it('is replaced by a restart in the same way, and goes on when that fails', () => {
    const asked = service({ target: old, parked: at });
    asked.spec.rollout.epoch = 1;
    assert.equal(
      doing(promoted, { service: service({ target: old }), ...{ replicas: views([serving]) } }),
      '',
    );
    const before = { ...asked, status: { ...asked.status, parked_since: null } };
    const all = { replicas: views([serving]), siblings: [serving] };
    assert.equal(doing(promoted, { service: before, ...all }), 'pauseOthers');
    const quiet = { service: asked, replicas: views([stopped]), siblings: [stopped] };
    assert.equal(doing(promoted, quiet), 'createReplica');
    const lost = aDeployment({ ...promoted, status: { ...promoted.status, failed_epoch: 1 } });
    const tried = replicaOf(old, 3, { spec: { epoch: 1 } });
    const both = { service: asked, replicas: views([stopped, tried]), siblings: [stopped, tried] };
    assert.equal(doing(lost, both), 'removeReplica');
    assert.equal(doing(lost, quiet), 'resume');
  });

  it('keeps nobody waiting when its service is stopped', () => {
    const off = service({ parked: at });
    off.spec.rollout.running = false;
    assert.equal(doing(promoted, { ...own, service: off, target: starting }), 'removeReplica unpark');
  });
});
