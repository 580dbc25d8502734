import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { figuresOf } from '../../../controllers/metrics/figures.ts';
import { changeBetween, risen, type Sample } from '../../../controllers/metrics/sample.ts';

const bounds = [1, 10, 100];
const stats = (cpuSeconds: number, memoryBytes = 100, received = 0) => ({
  ...{ cpuSeconds, memoryBytes, memoryLimitBytes: 1000, receivedBytes: received, sentBytes: 0, pids: 2 },
});
const counts = (requests: number, latency: number[], errors = 0) => ({
  ...{ requests, errors, failed: 0, open: 1, latency },
});
const known = (before: Sample, now: Sample) => ({ newest: now, change: changeBetween(before, now) });

describe('a counter', () => {
  it('rose by its difference, or by what it has when it began anew', () => {
    assert.deepEqual([risen(5, 8), risen(5, 5), risen(5, 3)], [3, 0, 3]);
  });
});

describe('figures', () => {
  const one = known(
    { at: 0, stats: stats(1), requests: counts(10, [10, 0, 0, 0]) },
    { at: 10_000, stats: stats(6, 200, 5_000), requests: counts(30, [20, 10, 0, 0], 2) },
  );

  it('of one replica are rates over the time between, and what it has now', () => {
    const { cpu, memory, network, pids, requests } = figuresOf([one], bounds);
    assert.deepEqual(cpu, { cores: 0.5, limit: null });
    assert.deepEqual(memory, { bytes: 200, limit: 1000 });
    assert.deepEqual([network.received_bytes, network.received_per_second, pids], [5_000, 500, 2]);
    assert.deepEqual([requests.total, requests.errors, requests.open], [30, 2, 1]);
    assert.deepEqual([requests.per_second, requests.errors_per_second], [2, 0.2]);
    // Ten answers up to 1 ms and ten up to 10 ms came in between.
    assert.deepEqual(requests.latency_ms, { p50: 1, p90: 8.2, p99: 9.82 });
  });

  it('of several are added up, whatever each was sampled over', () => {
    const other = known(
      { at: 5_000, stats: stats(0), requests: undefined },
      { at: 10_000, stats: stats(5), requests: counts(10, [0, 0, 10, 0]) },
    );
    const { cpu, memory, requests } = figuresOf([one, other], bounds);
    assert.deepEqual([cpu.cores, memory.bytes, memory.limit], [1.5, 300, 2000]);
    assert.deepEqual([requests.total, requests.per_second], [40, 4]);
    assert.equal(requests.latency_ms.p99, 97.3);
  });

  it('are not known before there is a second sample, and of what does not run', () => {
    const first = { newest: { at: 0, stats: stats(9), requests: undefined }, change: undefined };
    const young = figuresOf([first], bounds);
    assert.deepEqual([young.cpu.cores, young.memory.bytes, young.requests.per_second], [null, 100, null]);
    const stopped = known(
      { at: 0, stats: stats(9), requests: undefined },
      { at: 1, stats: undefined, requests: undefined },
    );
    assert.deepEqual(
      [figuresOf([stopped], bounds).cpu.cores, figuresOf([stopped], bounds).pids],
      [null, null],
    );
    assert.equal(figuresOf([], bounds).requests.latency_ms.p50, null);
  });

  it('have no limit in sum where one has none', () => {
    const newest = { at: 0, stats: { ...stats(0), memoryLimitBytes: null }, requests: undefined };
    assert.equal(figuresOf([one, { newest, change: undefined }], bounds).memory.limit, null);
  });

  it('go on after a restart, whose counters begin at zero', () => {
    const again = known(
      { at: 0, stats: stats(100), requests: counts(50, [50, 0, 0, 0]) },
      { at: 10_000, stats: stats(2), requests: counts(60, [60, 0, 0, 0]) },
    );
    const { cpu, requests } = figuresOf([again], bounds);
    assert.deepEqual([cpu.cores, requests.per_second], [0.2, 1]);
  });
});
