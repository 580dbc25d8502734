import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stateOf as stateOn } from '../../../../controllers/engine/docker/inspection.ts';

const inspection = {
  Id: 'a',
  Name: '/demo',
  Image: 'sha256:b',
  State: {
    Status: 'running',
    StartedAt: '2030-01-01T00:00:00.5Z',
    FinishedAt: '0001-01-01T00:00:00Z',
    ExitCode: 0,
    OOMKilled: false,
    Error: '',
  },
  Config: { Labels: { 'svc.node': 'n' } },
  HostConfig: {
    Memory: 2 ** 26,
    MemorySwap: 2 ** 26,
    NanoCpus: 5e8,
    PidsLimit: 64,
    RestartPolicy: { Name: 'no' },
  },
  NetworkSettings: {
    Networks: {
      shop: { NetworkID: 'n1', IPAddress: '10.200.0.2', IPAMConfig: { IPv4Address: '10.200.0.2' } },
    },
  },
};
const machine = { cpus: 2, cgroup: 'v1', limitsSwap: true } as const;
const stateOf = (said: typeof inspection | object) => stateOn(said as typeof inspection, machine);
const withState = (change: object) => stateOf({ ...inspection, State: { ...inspection.State, ...change } });

describe('stateOf', () => {
  it('reads a container', () => {
    const labels = { 'svc.node': 'n' };
    const startedAt = '2030-01-01T00:00:00.5Z';
    assert.deepEqual(stateOf(inspection), {
      id: 'a',
      name: 'demo',
      image: 'sha256:b',
      labels,
      state: 'running',
      paused: false,
      networks: [{ name: 'shop', id: 'n1', address: '10.200.0.2' }],
      limits: { memoryBytes: 2 ** 26, cpus: 0.5, pids: 64 },
      selfRestarting: false,
      tunings: [],
      startedAt,
      exit: null,
    });
    assert.deepEqual(stateOf({ ...inspection, Config: { Labels: null } }).labels, {});
    assert.equal(stateOf({ ...inspection, Image: 'b' }).image, 'sha256:b');
  });

  for (const [status, state] of [
    ['created', 'created'],
    ['initialized', 'created'],
    ['running', 'running'],
    ['paused', 'running'],
    ['restarting', 'running'],
    ['stopping', 'running'],
    ['exited', 'exited'],
    ['removing', 'exited'],
    ['dead', 'exited'],
    ['stopped', 'exited'],
  ] as const)
    it(`takes ${status} for ${state}`, () => assert.equal(withState({ Status: status }).state, state));

  it('tells what is changed by hand: a pause, networks, limits, restarts', () => {
    assert.equal(withState({ Status: 'paused' }).paused, true);
    const { networks } = stateOf({
      ...inspection,
      NetworkSettings: {
        Networks: { shop: { IPAMConfig: { IPv4Address: '10.200.0.9' }, IPAddress: '' }, bridge: {} },
      },
    });
    assert.deepEqual(networks, [
      { name: 'shop', id: '', address: '10.200.0.9' },
      { name: 'bridge', id: '', address: '' },
    ]);
    const limitsOf = (HostConfig: object) => stateOf({ ...inspection, HostConfig }).limits;
    assert.deepEqual(limitsOf({ PidsLimit: null }), { memoryBytes: null, cpus: null, pids: null });
    for (const PidsLimit of [0, -1]) assert.equal(limitsOf({ PidsLimit }).pids, Infinity);
    const HostConfig = { RestartPolicy: { Name: 'always' } };
    assert.equal(stateOf({ ...inspection, HostConfig }).selfRestarting, true);
  });

  it('tells how it ended only once it has', () => {
    const ended = { Status: 'exited', ExitCode: 137, OOMKilled: true, FinishedAt: '2030-01-01T00:00:09Z' };
    assert.deepEqual(withState(ended).exit, {
      code: 137,
      outOfMemory: true,
      at: '2030-01-01T00:00:09Z',
      error: '',
    });
    assert.equal(withState({ Status: 'created', ExitCode: 128, Error: 'no' }).exit, null);
    assert.equal(withState({ Status: 'created', StartedAt: '0001-01-01T00:00:00Z' }).startedAt, null);
  });
});
