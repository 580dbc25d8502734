import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { driftOf, type Wanted } from '../../../controllers/drift/drift.ts';
import { limitsOf } from '../../../controllers/drift/limits.ts';
import type { ContainerState } from '../../../controllers/engine/engine.ts';

const resources = { memory: '512Mi', cpus: 1, pids: 512 };
const wanted: Wanted = {
  ...{ name: 'shop-web-1', network: { name: 'svc-node-shop', id: 'network-1' }, address: '10.210.0.2' },
  resources,
};
const own = { name: 'svc-node-shop', id: 'network-1', address: '10.210.0.2' };
const container: ContainerState = {
  ...{ id: 'c1', name: 'shop-web-1', labels: {}, image: 'sha256:x', state: 'running', tunings: [] },
  ...{ paused: false, networks: [own], limits: limitsOf(resources), selfRestarting: false },
  ...{ startedAt: '2030-01-01T00:00:00.000Z', exit: null },
};
const drift = (said: Partial<ContainerState>) => driftOf({ ...container, ...said }, wanted);
const none = { steps: [], found: [], limits: [], tuned: [], lasting: [] };

describe('driftOf', () => {
  it('finds nothing at what is as it was made', () => {
    assert.deepEqual(drift({}), none);
    // Before the first start the engine tells no id.
    assert.deepEqual(drift({ networks: [{ ...own, id: '' }] }).steps, []);
  });

  it('names all that was changed, and puts it right in an order that works', () => {
    const other = { name: 'bridge', id: 'b', address: '172.17.0.2' };
    const tunings = [
      { words: 'cpu shares 2', lasting: false },
      { words: 'a cpu quota', lasting: true },
    ];
    const changed = { paused: true, networks: [other], name: 'mine', selfRestarting: true, tunings };
    const limits = { memoryBytes: 2 ** 20, cpus: 2, pids: Infinity };
    assert.deepEqual(drift({ ...changed, limits }), {
      steps: [
        { do: 'unpause' },
        { do: 'disconnect', network: 'bridge' },
        { do: 'connect' },
        { do: 'rename' },
      ],
      found: [
        'it was paused',
        'it was connected to the network bridge',
        "it was disconnected from its project's network",
        'its container was renamed',
      ],
      limits: ['memory 1.0 MiB instead of 512Mi', 'cpus 2 instead of 1', 'pids unlimited instead of 512'],
      tuned: ['the engine was to restart it by itself', 'cpu shares 2'],
      lasting: ['a cpu quota'],
    });
  });

  it('takes a network of the same name that is gone, and another address, for what they are', () => {
    const again = [{ do: 'disconnect', network: own.name }, { do: 'connect' }];
    const old = drift({ networks: [{ ...own, id: 'network-0' }] });
    assert.deepEqual([old.steps, old.found], [again, ["it was disconnected from its project's network"]]);
    const moved = drift({ networks: [{ ...own, address: '10.210.0.77' }] });
    assert.deepEqual([moved.steps, moved.found], [again, ['its address was changed']]);
  });

  it('leaves limits alone that the engine cannot set', () => {
    assert.deepEqual(drift({ limits: { memoryBytes: null, cpus: null, pids: null } }), none);
  });
});
