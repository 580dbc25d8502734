import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { account, begin, count, figuresOf } from '../../../controllers/deployment/receipt.ts';
import type { Decision } from '../../../controllers/deployment/decision.ts';
import { noTraffic, type ServiceTotals, type Traffic } from '../../../ingress/index.ts';
import type { Takeover } from '../../../specs/deployment.ts';
import { timestamp } from '../../../specs/meta.ts';
import { aDeployment, anId, type Said } from '../../support/store.ts';
import { begun, image, replica, seen, target } from './scene.ts';

const service = anId('service');
const sides = { replaced: ['old'], own: ['new'] };
const world = (old: Partial<Traffic>, own: Partial<Traffic>, of: Partial<ServiceTotals> = {}) => ({
  replicas: { old: { ...noTraffic(), ...old }, new: { ...noTraffic(), ...own } },
  services: {
    [service]: {
      ...{ unavailable: 0, parked: 0, parked_rejected: 0, parked_longest_ms: 0, waiting: 0 },
      ...{ name: 'web', project: 'shop', total: noTraffic() },
      ...of,
    },
  },
});

describe('a receipt', () => {
  const first = world(
    { answered: 100, longest_ms: 900 },
    { answered: 5 },
    { unavailable: 7, parked: 2, parked_longest_ms: 80 },
  );
  const { takeover, receipt } = begin(first, service, sides, begun);
  const at = (...figures: Parameters<typeof world>) =>
    count(receipt, takeover, figuresOf(world(...figures), service, sides));

  it('begins with nothing', () => {
    assert.deepEqual(
      [receipt.served_old, receipt.failed, receipt.started_at, receipt.finished_at],
      [0, 0, timestamp(begun), null],
    );
  });

  it('holds what came since', () => {
    const total = { ...noTraffic(), failed: 1, aborted: 2 };
    const found = at(
      { answered: 103, longest_ms: 900 },
      { answered: 25, longest_ms: 40.2 },
      { unavailable: 8, parked: 6, parked_longest_ms: 300.5, total },
    );
    assert.deepEqual(found, {
      ...{ served_old: 3, served_new: 20, failed: 2, aborted: 2, parked: 4, parked_longest_ms: 301 },
      // Who waits at the ingress waits, whoever answers in the end.
      ...{ longest_wait_ms: 301, started_at: timestamp(begun), finished_at: null },
    });
  });

  it('names the longest wait of the replicas before only if it was in its time', () => {
    assert.equal(at({ longest_ms: 900 }, {}).longest_wait_ms, 0);
    assert.equal(at({ longest_ms: 1_200 }, {}).longest_wait_ms, 1_200);
  });

  it('says nothing of parking where nothing was parked', () => {
    assert.equal(at({}, {}, { parked: 2, parked_longest_ms: 80 }).parked_longest_ms, 0);
  });

  it('never falls: a new control plane knows nothing at first', () => {
    const later = at({ answered: 110 }, { answered: 30 });
    const nothing = figuresOf({ replicas: {}, services: {} }, service, sides);
    assert.deepEqual(count(later, takeover, nothing), later);
  });

  describe('in a pass', () => {
    const decision: Decision = { steps: [], phase: 'Healthy', reason: 'Promoted', message: 'Serving.' };
    const rowOf = (said: Said<'Deployment'>['status'] = {}) =>
      aDeployment({ status: { phase: 'Healthy', image, takeover, receipt, ...said } });
    const pass = (
      said: Parameters<typeof seen>[0] = {},
      now = begun + 5_000,
      next = decision,
      so: Partial<Takeover> = {},
    ) =>
      account(
        rowOf({ takeover: { ...takeover, ...so } }),
        seen({ replicas: [replica({ id: 'new' })], traffic: world({}, { answered: 6 }), ...said }),
        next,
        now,
      );
    const bake = {
      ...{
        deployment: anId('deployment'),
        previous: 'dep_0',
        earlier: null,
        before: { requests: 0, bad: 0 },
      },
      ...{ since: timestamp(begun), until: timestamp(begun + 60_000) },
    };

    it('is final when the replicas before have drained and nobody watches', () => {
      const done = pass({}, begun + 5_000, decision, { settled_at: timestamp(begun + 3_000) });
      assert.deepEqual([done.takeover, done.receipt?.served_new], [null, 1]);
      assert.equal(done.receipt?.finished_at, timestamp(begun + 5_000));
    });

    it('goes on while they drain, while it is watched, and while requests wait', () => {
      const open = [
        pass({ drained: false }),
        pass({ service: target({ status: { promoted: anId('deployment'), bake } }) }),
        pass({ service: target({ status: { parked_since: timestamp(begun) } }) }),
        pass({}, begun + 5_000, { ...decision, phase: 'Starting' }),
      ];
      for (const { takeover: still, receipt: so, requeueAfter } of open)
        assert.deepEqual([still?.settled_at, so?.finished_at, requeueAfter], [null, null, 2_000]);
    });

    it('goes on until the workers have told what they had counted by then, however long it took until then', () => {
      const settled = { settled_at: timestamp(begun + 60_000) };
      const first = pass({}, begun + 60_000);
      assert.deepEqual([first.takeover?.settled_at, first.requeueAfter], [settled.settled_at, 2_000]);
      const second = pass({}, begun + 61_500, decision, settled);
      assert.deepEqual([second.receipt?.finished_at, second.requeueAfter], [null, 500]);
      assert.equal(pass({}, begun + 62_000, decision, settled).takeover, null);
      const again = pass({ drained: false }, begun + 62_000, decision, settled);
      assert.equal(again.takeover?.settled_at, null);
    });

    it('is final when it no longer serves', () => {
      const next = { ...decision, phase: 'Inactive' } as const;
      assert.equal(pass({ drained: false }, begun, next).takeover, null);
    });

    it('counts those that wait for what was before it to serve again, until they were let go', () => {
      const next = { ...decision, phase: 'Failed' } as const;
      const parked = { service: target({ status: { parked_since: timestamp(begun) } }) };
      const back = pass({}, begun + 5_000, { ...next, endBake: 'take back' });
      for (const { takeover: open, requeueAfter } of [back, pass(parked, begun + 5_000, next)])
        assert.deepEqual([open?.settled_at, requeueAfter], [timestamp(begun + 5_000), 2_000]);
      const settled = { settled_at: timestamp(begun + 5_000) };
      const later = pass({}, begun + 6_000, next, settled);
      assert.deepEqual([later.receipt?.finished_at, later.requeueAfter], [null, 1_000]);
      assert.equal(pass({}, begun + 7_000, next, settled).takeover, null);
    });

    it('counts what a deployment that was taken back serves until its replicas have finished, gone or not', () => {
      const next = { ...decision, phase: 'Failed', reason: 'RolledBack' } as const;
      const going = { replicas: [], traffic: world({}, { answered: 9 }), isIdle: false };
      const so = { own: ['new'], settled_at: timestamp(begun) };
      const open = pass(going, begun + 5_000, next, so);
      assert.deepEqual([open.takeover?.settled_at, open.takeover?.own], [null, ['new']]);
      assert.deepEqual([open.receipt?.served_new, open.receipt?.finished_at], [4, null]);
      const idle = pass({ ...going, isIdle: true }, begun + 6_000, next, open.takeover ?? {});
      assert.equal(idle.takeover?.settled_at, timestamp(begun + 6_000));
      const told = { ...going, isIdle: true, traffic: world({}, { answered: 10 }) };
      const done = pass(told, begun + 8_000, next, idle.takeover ?? {});
      assert.deepEqual([done.takeover, done.receipt?.served_new], [null, 5]);
    });

    it('does not forget replicas that are gone while it serves on', () => {
      const first = pass();
      assert.deepEqual(first.takeover?.own, ['new']);
      const figures = { ...world({}, { answered: 8 }) };
      const traffic = {
        ...figures,
        replicas: { ...figures.replicas, newer: { ...noTraffic(), answered: 3 } },
      };
      const second = pass({ replicas: [replica({ id: 'newer' })], traffic }, begun + 5_000, decision, {
        own: ['new'],
      });
      assert.deepEqual([second.takeover?.own, second.receipt?.served_new], [['new', 'newer'], 6]);
    });

    it('is left alone by a pass that begins another', () => {
      const next: Decision = { ...decision, steps: [{ do: 'promote', epoch: 1 }] };
      assert.equal(pass({}, begun + 5_000, next), next);
    });
  });
});
