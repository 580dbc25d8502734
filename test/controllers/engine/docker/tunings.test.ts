import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resetsOf, tuningsOf, type Machine } from '../../../../controllers/engine/docker/tunings.ts';

const v1: Machine = { cpus: 4, cgroup: 'v1', limitsSwap: true };
const v2: Machine = { ...v1, cgroup: 'v2' };
const MiB = 2 ** 20;
/** As svc makes one. */
const made = { Memory: 64 * MiB, MemorySwap: 64 * MiB, NanoCpus: 5e8 };
const words = (said: object, machine: Machine) =>
  tuningsOf({ ...made, ...said }, machine).map((tuning) => `${tuning.words}${tuning.lasting ? '!' : ''}`);

describe('what docker update changes', () => {
  it('is nothing at a container that svc made, nor where it was set to what is usual', () => {
    for (const machine of [v1, v2]) {
      assert.deepEqual(words({}, machine), []);
      assert.deepEqual(words({ CpuShares: 0, CpusetCpus: '0-3', CpusetMems: '', CpuQuota: 0 }, machine), []);
      // As Podman tells what the processors come to.
      assert.deepEqual(words({ CpuPeriod: 100_000, CpuQuota: 50_000 }, machine), []);
    }
    assert.deepEqual(words({ CpuShares: 1024, MemoryReservation: -1 }, v1), []);
    assert.deepEqual(tuningsOf({}, v1), []);
  });

  for (const [said, on1, on2] of [
    [{ CpuShares: 512 }, ['cpu shares 512'], ['cpu shares 512!']],
    [{ CpusetCpus: '0' }, ['processors 0 only'], ['processors 0 only']],
    [{ CpusetMems: '0' }, ['memory nodes 0 only!'], ['memory nodes 0 only!']],
    [{ CpuQuota: -1 }, ['a cpu quota!'], ['a cpu quota!']],
    [{ CpuPeriod: 50_000 }, ['a cpu quota!'], ['a cpu quota!']],
    [{ CpuRealtimeRuntime: 1000 }, ['a real-time cpu budget!'], ['a real-time cpu budget!']],
    [{ CpuRealtimePeriod: 1000 }, ['a real-time cpu budget!'], ['a real-time cpu budget!']],
    [{ MemorySwap: -1 }, ['swap unlimited'], ['swap unlimited']],
    [{ MemorySwap: 96 * MiB }, ['swap 32.0 MiB'], ['swap 32.0 MiB']],
    [{ MemoryReservation: 32 * MiB }, ['memory reservation 32.0 MiB'], ['memory reservation 32.0 MiB!']],
    [{ KernelMemory: 32 * MiB }, ['kernel memory 32.0 MiB!'], ['kernel memory 32.0 MiB!']],
    [{ BlkioWeight: 300 }, ['disk weight 300!'], ['disk weight 300!']],
  ] as const)
    it(`is told: ${JSON.stringify(said)}`, () => {
      assert.deepEqual([words(said, v1), words(said, v2)], [on1, on2]);
    });

  it('is set back by what says "as usual"', () => {
    const said = { ...made, CpuShares: 2, CpusetCpus: '1', MemoryReservation: 9, CpuQuota: -1 };
    const resets = { CpuShares: 1024, CpusetCpus: '0-3', MemoryReservation: -1 };
    assert.deepEqual(resetsOf(said, v1), resets);
    assert.deepEqual(words({ ...said, ...resets, CpuQuota: 0 }, v1), []);
    assert.deepEqual(resetsOf({ CpusetCpus: '1' }, { ...v1, cpus: 1 }), { CpusetCpus: '0' });
  });

  it('is left alone where the engine does not say what is usual, or cannot set it', () => {
    assert.deepEqual(words({ CpusetCpus: '0-3' }, { ...v1, cpus: undefined }), ['processors 0-3 only!']);
    assert.deepEqual(words({ MemorySwap: -1 }, { ...v1, limitsSwap: false }), []);
  });
});
