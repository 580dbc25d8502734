import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBatcher } from '../../../controllers/logs/batcher.ts';

/** A write that the test lets go on. */
function gate() {
  const batches: number[][] = [];
  let open: (error?: Error) => void = () => undefined;
  const write = (batch: number[]) =>
    new Promise<void>((resolve, reject) => {
      batches.push(batch);
      open = (error) => (error ? reject(error) : resolve());
    });
  return { batches, write, open: (error?: Error) => open(error) };
}

const ignore = () => undefined;

describe('batcher', () => {
  it('writes what is pushed in one go together, and what comes meanwhile next', async () => {
    const { batches, write, open } = gate();
    const batcher = createBatcher(write, ignore);
    batcher.push(1);
    batcher.push(2);
    await Promise.resolve();
    assert.deepEqual(batches, [[1, 2]]);
    batcher.push(3);
    batcher.push(4);
    const flushed = batcher.flush();
    open();
    await new Promise(setImmediate);
    assert.deepEqual(batches, [
      [1, 2],
      [3, 4],
    ]);
    batcher.push(5);
    open();
    await flushed;
  });

  it('goes on after a failure, tells of it at once, and again to the next flush only', async () => {
    const told: unknown[] = [];
    const written: number[] = [];
    const full = new Error('full');
    const batcher = createBatcher<number>(
      (batch) => {
        if (batch.includes(1)) return Promise.reject(full);
        written.push(...batch);
        return Promise.resolve();
      },
      (error) => told.push(error),
    );
    batcher.push(1);
    await batcher.settled();
    assert.deepEqual(told, [full]);
    batcher.push(2);
    await assert.rejects(batcher.flush(), full);
    await batcher.flush();
    assert.deepEqual(written, [2]);
  });

  it('has nothing to wait for while nothing is pushed', async () => {
    const batcher = createBatcher(() => Promise.reject(new Error('never called')), ignore);
    await batcher.settled();
    await batcher.flush();
  });
});
