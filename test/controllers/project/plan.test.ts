import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Observed } from '../../../controllers/project/observe.ts';
import { plan } from '../../../controllers/project/plan.ts';
import { freeSubnet } from '../../../controllers/project/subnet.ts';
import { aJob, aProject, aService } from '../../support/store.ts';

const name = 'svc-node-shop-new';
const at = '2030-01-01T00:00:00.000Z';
const seen = (said: Partial<Observed> = {}): Observed => ({
  networks: [],
  taken: [],
  services: [],
  jobs: [],
  ...said,
});
const network = { id: 'network-1', name: 'svc-node-shop', subnets: ['10.210.0.0/24'], labels: {} };

describe('a project', () => {
  it('claims a range and a name before it makes its network', () => {
    const status = { subnet: null, network: null, network_name: null };
    const subnet = freeSubnet([], name);
    assert.deepEqual(plan(aProject({ status }), seen(), name).steps, [{ do: 'claim', subnet, name }]);
    const next = freeSubnet([subnet], name);
    assert.notEqual(next, subnet);
    assert.deepEqual(plan(aProject({ status }), seen({ taken: [subnet] }), name).steps, [
      { do: 'claim', subnet: next, name },
    ]);
  });

  it('has its network made again when it is gone, in the range and under the name that are on record', () => {
    const again = [{ do: 'ensureNetwork', name: 'svc-node-shop', subnet: '10.210.0.0/24' }];
    assert.deepEqual(plan(aProject(), seen(), name).steps, again);
    assert.deepEqual(plan(aProject(), seen({ networks: [{ ...network, id: 'other' }] }), name).steps, again);
    const there = [{ do: 'hasten', subnet: '10.210.0.0/24' }];
    assert.deepEqual(plan(aProject(), seen({ networks: [network] }), name).steps, there);
  });

  it('gives its range up when another network took it while its own was gone, and keeps the name', () => {
    const other = { ...network, id: 'other', name: 'other', subnets: ['fd00::/64', '10.210.0.128/25'] };
    const { steps } = plan(aProject(), seen({ networks: [other], taken: other.subnets }), name);
    const subnet = freeSubnet(other.subnets, name);
    assert.deepEqual(steps, [{ do: 'claim', subnet, name: 'svc-node-shop' }]);
    // Side by side with the project's own: the engine allowed it, and nothing is amiss.
    assert.deepEqual(plan(aProject(), seen({ networks: [network, other] }), name).steps, [
      { do: 'hasten', subnet: '10.210.0.0/24' },
    ]);
  });
});

describe('a project that is being deleted', () => {
  const going = aProject({ deleted_at: at });

  it('has the services and jobs deleted that are left, and waits for all of them by name', () => {
    const [web, api, cleanup] = [
      aService({ name: 'web' }),
      aService({ name: 'api', deleted_at: at }),
      aJob(),
    ];
    const { steps, waiting } = plan(going, seen({ services: [web, api], jobs: [cleanup] }), name);
    assert.deepEqual(steps, [{ do: 'deleteOwned', rows: [web, cleanup] }]);
    assert.equal(waiting?.message, 'Waiting for its services and jobs to be removed: api, cleanup, web.');
    const onlyJobs = plan(going, seen({ jobs: [cleanup] }), name);
    assert.equal(onlyJobs.waiting?.message, 'Waiting for its jobs to be removed: cleanup.');
  });

  it('gives up its network before its row, for the row keeps the range from being given out again', () => {
    const other = { ...network, id: 'network-2', name };
    assert.deepEqual(plan(going, seen({ networks: [other, network] }), name).steps, [
      { do: 'removeNetwork', id: 'network-1' },
      { do: 'purge' },
    ]);
    assert.deepEqual(plan(going, seen(), name).steps, [{ do: 'purge' }]);
  });
});
