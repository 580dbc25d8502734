import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContainerState } from '../../../controllers/engine/engine.ts';
import { driftOf } from '../../../controllers/replica/drift.ts';
import { limitsOf } from '../../../controllers/replica/limits.ts';
import type { Observed } from '../../../controllers/replica/observe.ts';
import { aDeployment, aProject, aReplica, aService } from '../../support/store.ts';

const { resources } = aDeployment().spec.workload;
const own = { name: 'svc-node-shop', id: 'network-1', address: '10.210.0.2' };

const container = (said: Partial<ContainerState> = {}): ContainerState => ({
  ...{ id: 'c1', name: 'shop-web-1', labels: {}, image: 'sha256:x', state: 'running' },
  ...{ paused: false, networks: [own], limits: limitsOf(resources), selfRestarting: false },
  ...{ startedAt: '2030-01-01T00:00:00.000Z', exit: null },
  ...said,
});
const observed: Observed = {
  ...{ deployment: aDeployment(), service: aService(), project: aProject(), container: undefined },
  ...{ probe: undefined, routed: true, idle: true, stopping: false },
};
const replica = aReplica({ status: { resources } });
const drift = (said: Partial<ContainerState>) => driftOf(replica, container(said), observed);

describe('driftOf', () => {
  it('finds nothing at what is as it was made', () => {
    assert.deepEqual(drift({}), { steps: [], found: [], isResize: false });
    // Before the first start the engine tells no id.
    assert.deepEqual(drift({ networks: [{ ...own, id: '' }] }).steps, []);
  });

  it('names all that was changed, and puts it right in an order that works', () => {
    const other = { name: 'bridge', id: 'b', address: '172.17.0.2' };
    const limits = { memoryBytes: 2 ** 20, cpus: 2, pids: Infinity };
    const found = drift({ paused: true, networks: [other], limits, selfRestarting: true });
    assert.deepEqual(found, {
      steps: [{ do: 'unpause' }, { do: 'disconnect', network: 'bridge' }, { do: 'connect' }, { do: 'limit' }],
      found: [
        'it was paused',
        'it was connected to the network bridge',
        "it was disconnected from its project's network",
        'its limits were changed (the engine was to restart it by itself, memory 1.0 MiB instead of 512Mi, cpus 2 instead of 1, pids unlimited instead of 512)',
      ],
      isResize: false,
    });
  });

  it('takes a network of the same name that is gone, and another address, for what they are', () => {
    const again = [{ do: 'disconnect', network: own.name }, { do: 'connect' }];
    const old = drift({ networks: [{ ...own, id: 'network-0' }] });
    assert.deepEqual([old.steps, old.found], [again, ["it was disconnected from its project's network"]]);
    const moved = drift({ networks: [{ ...own, address: '10.210.0.77' }] });
    assert.deepEqual([moved.steps, moved.found], [again, ['its address was changed']]);
  });

  it('tells limits that somebody asked for from those that somebody changed', () => {
    const limits = { memoryBytes: 2 ** 28, cpus: 1, pids: 512 };
    assert.equal(drift({ limits }).isResize, false);
    const asked = aReplica({ status: { resources: { ...resources, memory: '256Mi' } } });
    assert.deepEqual(driftOf(asked, container({ limits }), observed), {
      ...{ steps: [{ do: 'limit' }], found: [], isResize: true },
    });
  });

  it('leaves limits alone that the engine cannot set', () => {
    assert.deepEqual(drift({ limits: { memoryBytes: null, cpus: null, pids: null } }).steps, []);
  });
});
