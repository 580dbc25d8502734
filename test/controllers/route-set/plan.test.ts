import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parkLimits, plan, returnLimits, type RouteSettings } from '../../../controllers/route-set/plan.ts';
import type { Observed } from '../../../controllers/route-set/observe.ts';
import type { Row } from '../../../specs/index.ts';
import {
  aDeployment,
  aDomain,
  anId,
  aProject,
  aReplica,
  aService,
  releaseDefaults,
} from '../../support/store.ts';

const settings: RouteSettings = {
  appsDomain: 'apps.test',
  control: null,
  upstreamOf: (id, listen) => ({ socket: `/run/${id}`, via: listen === 'tcp' ? 'bridged' : 'direct' }),
};
const ready = aReplica({ status: { phase: 'Ready' } });
const seen = (said: Partial<Observed> = {}): Observed => ({
  projects: [aProject()],
  services: [aService({ status: { promoted: anId('deployment'), previous: null } })],
  deployments: [aDeployment({ status: { phase: 'Healthy', epoch: 0 } })],
  replicas: [ready],
  domains: [],
  challenges: [],
  certificates: [],
  ...said,
});
const routed = (said: Partial<Observed> = {}): readonly string[] | undefined =>
  plan(seen(said), settings).services[anId('service')]?.replicas;

describe('the route set', () => {
  it('routes a host to the ready replicas of the promoted deployment', () => {
    const { hosts, services, upstreams } = plan(seen(), settings);
    assert.deepEqual(hosts, { 'web.shop.apps.test': anId('service') });
    assert.deepEqual(services[anId('service')], {
      name: 'web',
      project: 'shop',
      running: true,
      replicas: [ready.id],
      drain_ms: 30_000,
      park: null,
    });
    assert.deepEqual(upstreams, { [ready.id]: { socket: `/run/${ready.id}`, via: 'bridged' } });
  });

  it('never routes what is not promoted, not ready, of another epoch, or on its way out', () => {
    assert.deepEqual(routed({ services: [aService()] }), []);
    assert.deepEqual(routed({ replicas: [aReplica({ status: { phase: 'Starting' } })] }), []);
    assert.deepEqual(
      routed({ replicas: [aReplica({ spec: { epoch: 1 }, status: { phase: 'Ready' } })] }),
      [],
    );
    assert.deepEqual(
      routed({
        replicas: [aReplica({ deleted_at: '2030-01-01T00:00:00.000Z', status: { phase: 'Ready' } })],
      }),
      [],
    );
    assert.deepEqual(
      routed({
        deployments: [aDeployment({ spec: { stopped: true }, status: { phase: 'Healthy', epoch: 0 } })],
      }),
      [],
    );
    const stopped = { target: anId('deployment'), running: false, epoch: 0, configured: null };
    const status = { promoted: anId('deployment'), previous: null };
    assert.deepEqual(routed({ services: [aService({ spec: { rollout: stopped }, status })] }), []);
  });

  it('leads a hostname to its service once it is verified, and not before', () => {
    const verified = aDomain({ status: { phase: 'Verified' } });
    const hosts = (...domains: Row<'Domain'>[]) => plan(seen({ domains }), settings).hosts;
    const own = { 'web.shop.apps.test': anId('service') };
    assert.deepEqual(hosts(verified), { 'shop.example.com': anId('service'), ...own });
    const deleted = { ...verified, deleted_at: '2030-01-01T00:00:00.000Z' };
    const failed = aDomain({ status: { phase: 'Failed' } });
    for (const domain of [aDomain(), failed, deleted]) assert.deepEqual(hosts(domain), own);
    const ofNobody = aDomain({ spec: { service_id: anId('service', 9) }, status: { phase: 'Verified' } });
    assert.deepEqual(hosts(ofNobody), own);
    // The apps domain was set after somebody had verified a name in it.
    const claimed = aDomain({
      spec: { hostname: 'web.shop.apps.test', service_id: anId('service', 2) },
      status: { phase: 'Verified' },
    });
    const rival = aService({ id: anId('service', 2), name: 'rival' });
    const both = seen({ domains: [claimed], services: [...seen().services, rival] });
    assert.equal(plan(both, settings).hosts['web.shop.apps.test'], anId('service'));
  });

  it('answers the challenge of every domain that is not deleted', () => {
    const [pending, verified] = [
      aDomain(),
      aDomain({ spec: { token: 't2' }, status: { phase: 'Verified' } }),
    ];
    const gone = aDomain({ spec: { hostname: 'gone.test' }, deleted_at: '2030-01-01T00:00:00.000Z' });
    assert.deepEqual(plan(seen({ domains: [pending, verified, gone] }), settings).answers, {
      'shop.example.com': {
        '/.well-known/service-challenge/the-token': 'the-token',
        '/.well-known/service-challenge/t2': 't2',
      },
    });
  });

  it('says how long requests may go on when a replica leaves, and has new ones wait during a stop-first release', () => {
    const spec = { release: { ...releaseDefaults, drain: '90s' } };
    const status = { promoted: anId('deployment'), previous: null };
    const serviceOf = (parkedSince: string | null) =>
      plan(
        seen({ services: [aService({ spec, status: { ...status, parked_since: parkedSince } })] }),
        settings,
      ).services[anId('service')];
    assert.deepEqual([serviceOf(null)?.drain_ms, serviceOf(null)?.park], [90_000, null]);
    assert.deepEqual(serviceOf('2030-01-01T00:00:00.000Z')?.park, parkLimits);
  });

  it('has requests wait while one that is watched has no replica, if what was before was stopped for it', () => {
    const before = anId('deployment', 2);
    const at = '2030-01-01T00:00:00.000Z';
    const none = { requests: 0, bad: 0 };
    const bake = {
      deployment: anId('deployment'),
      previous: before,
      earlier: null,
      since: at,
      until: at,
      before: none,
    };
    const [own, kept] = [aReplica(), aReplica({ id: anId('replica', 2), spec: { deployment_id: before } })];
    const stopped = aReplica({ ...kept, spec: { ...kept.spec, paused_at: at }, status: { phase: 'Paused' } });
    const parkOf = (phase: 'Ready' | 'Exited', standingBy: Row<'Replica'>) =>
      plan(
        seen({
          services: [aService({ status: { promoted: anId('deployment'), bake } })],
          deployments: [aDeployment({ status: { phase: 'Healthy', epoch: 0 } })],
          replicas: [aReplica({ ...own, status: { phase } }), standingBy],
        }),
        settings,
      ).services[anId('service')]?.park;
    assert.deepEqual(parkOf('Exited', stopped), parkLimits);
    assert.equal(parkOf('Ready', stopped), null);
    assert.equal(parkOf('Exited', kept), null);
  });

  describe('has requests wait for a short while', () => {
    const at = '2030-01-01T00:00:00.000Z';
    const promoted = { promoted: anId('deployment'), previous: null };
    const readiness = (reason: string) => [
      { type: 'Ready', status: 'False' as const, reason, message: '', last_transition_at: at },
    ];
    const exited = (crashes = 1, reason = 'BackOff', served = false) =>
      aReplica({ status: { phase: 'Exited', crashes, served, conditions: readiness(reason) } });
    const parkOf = (replica: Row<'Replica'>, said: Partial<Observed> = {}) =>
      plan(seen({ services: [aService({ status: promoted })], replicas: [replica], ...said }), settings)
        .services[anId('service')]?.park;
    const started = (reason: string) =>
      aReplica({ status: { phase: 'Starting', conditions: readiness(reason) } });

    for (const replica of [exited(), exited(3), exited(0, 'OutOfMemory'), started('Starting')])
      it(`for a replica that is started again: ${JSON.stringify(replica.status.conditions[0]?.reason)}`, () => {
        assert.deepEqual(parkOf(replica), returnLimits);
      });

    it('for one that answered until it died for as long as it is back in time', () => {
      assert.deepEqual(parkOf(exited(5, 'BackOff', true)), returnLimits);
      assert.equal(parkOf(exited(6, 'BackOff', true)), null);
    });

    it('not for one that dies again and again, cannot start, does not answer, or is on its way out', () => {
      for (const replica of [exited(4), exited(1, 'StartFailed'), started('Unresponsive')])
        assert.equal(parkOf(replica), null);
      assert.equal(parkOf({ ...exited(), deleted_at: at }), null);
      assert.equal(parkOf({ ...exited(), spec: { ...exited().spec, epoch: 7 } }), null);
    });

    it('not while another replica serves, and not of a service that is stopped', () => {
      const other = aReplica({ id: anId('replica', 2), status: { phase: 'Ready' } });
      assert.equal(parkOf(exited(), { replicas: [exited(), other] }), null);
      const rollout = { target: anId('deployment'), running: false, epoch: 0, configured: null };
      assert.equal(parkOf(exited(), { services: [aService({ spec: { rollout }, status: promoted })] }), null);
    });
  });

  it('gives the name of what is being deleted away at once, and bridges its replicas until they are gone', () => {
    const at = '2030-01-01T00:00:00.000Z';
    const old = aService({ deleted_at: at, status: { promoted: anId('deployment'), previous: null } });
    const next = aService({ id: anId('service', 2) });
    const { hosts, services, upstreams, bridges } = plan(seen({ services: [next, old] }), settings);
    assert.deepEqual(hosts, { 'web.shop.apps.test': next.id });
    assert.deepEqual(Object.keys(services), [next.id]);
    assert.deepEqual(upstreams, {});
    assert.deepEqual(Object.keys(bridges), [ready.id]);
    assert.deepEqual(plan(seen({ projects: [aProject({ deleted_at: at })] }), settings).services, {});
  });

  it('bridges a replica that is only being gated, and does not route to it', () => {
    const gated = aReplica({ spec: { epoch: 1 }, status: { phase: 'Starting' } });
    const { bridges, upstreams } = plan(seen({ replicas: [gated] }), settings);
    assert.deepEqual(bridges, {
      [gated.id]: { socket: `/run/${gated.id}`, address: '10.210.0.2', port: 8080 },
    });
    assert.deepEqual(upstreams, {});
  });

  it('needs no bridge for a workload that listens on its socket', () => {
    const workload = { ...aDeployment().spec.workload, listen: 'socket' as const };
    const { bridges, upstreams } = plan(
      seen({ deployments: [aDeployment({ spec: { workload }, status: { phase: 'Healthy', epoch: 0 } })] }),
      settings,
    );
    assert.deepEqual(bridges, {});
    assert.equal(upstreams[ready.id]?.via, 'direct');
  });
});
