import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WorkQueue } from '../../../controllers/runtime/work-queue.ts';
import { manualQueue } from '../../support/manual-passes.ts';

const hour = 3_600_000;

describe('failures', () => {
  it('backs off, doubling, and starts over after a success', async () => {
    const { queue, passes, clock } = manualQueue();
    queue.add('a');
    await clock.advance(0);
    for (const delay of [5, 10, 20, 40]) {
      passes.fail('a', 1);
      await clock.advance(delay - 1);
      assert.deepEqual(passes.running, []);
      await clock.advance(1);
      assert.deepEqual(passes.running, ['a']);
    }
    passes.done('a');
    await clock.advance(0);
    assert.equal(queue.size, 0);
    queue.add('a');
    await clock.advance(0);
    passes.fail('a', 1);
    await clock.advance(0);
    assert.deepEqual(passes.retries.map(({ failures, delay }) => [failures, delay]), [[1, 5], [2, 10], [3, 20], [4, 40], [1, 5]]); // prettier-ignore
  });

  it('lets an event bring the next try forward, but not closer than a second', async () => {
    const { queue, passes, clock } = await failing(12);
    queue.add('a');
    queue.add('a');
    await clock.advance(999);
    assert.deepEqual(passes.running, []);
    await clock.advance(1);
    assert.deepEqual(passes.running, ['a']);
  });

  it('starts at once for an event that comes later than the floor', async () => {
    const { queue, passes, clock } = await failing(12);
    await clock.advance(2_000);
    queue.add('a');
    await clock.advance(0);
    assert.deepEqual(passes.running, ['a']);
  });

  it('holds an event of the failing pass itself to the floor', async () => {
    const { queue, passes, clock } = await failing(12);
    await clock.advance(hour);
    queue.add('a');
    passes.fail('a', 1);
    await clock.advance(999);
    assert.deepEqual(passes.running, []);
    await clock.advance(1);
    assert.deepEqual(passes.running, ['a']);
  });

  it('is not held up when the wall clock is set back', async () => {
    const { queue, passes, clock, jump } = await failing(12);
    jump.by = -hour;
    queue.add('a');
    await clock.advance(1_000);
    assert.deepEqual(passes.running, ['a']);
    passes.fail('a', 1);
    jump.by = -2 * hour;
    await clock.advance(20_480);
    assert.deepEqual(passes.running, ['a']);
  });

  it('tries a new generation at once, and counts its failures from one', async () => {
    const { queue, passes, clock } = await failing(12);
    queue.add('a', { generation: 1 });
    await clock.advance(0);
    assert.deepEqual(passes.running, [], 'the one that failed is not new');
    queue.add('a', { generation: 2 });
    await clock.advance(0);
    assert.deepEqual(passes.running, ['a']);
    passes.fail('a', 2);
    await clock.advance(0);
    assert.equal(passes.retries.at(-1)?.failures, 1);
  });

  it('starts over when the generation turns out to be new only after the failure', async () => {
    const { passes, clock } = await failing(12);
    await clock.advance(hour);
    passes.fail('a', 2);
    await clock.advance(0);
    assert.equal(passes.retries.at(-1)?.failures, 1);
  });

  it('forgets failures and delays of a key that is gone', async () => {
    const { queue, clock } = await failing(12);
    queue.forget('a');
    queue.forget('never seen');
    assert.equal(queue.size, 0);
    assert.equal(clock.pending, 0);
  });

  it('treats work that rejects as failed, and goes on with other keys', async () => {
    const { passes, clock } = manualQueue();
    const seen: string[] = [];
    const work = (key: string) => {
      seen.push(key);
      throw new Error('broken');
    };
    const random = (count: number) => new Uint8Array(count).fill(255);
    const queue = new WorkQueue({ concurrency: 1, clock, random, work, observer: passes.observer });
    queue.add('a');
    queue.add('b');
    await clock.advance(0);
    assert.deepEqual(seen, ['a', 'b']);
    await clock.advance(5);
    assert.deepEqual(seen, ['a', 'b', 'a', 'b']);
    assert.equal((passes.retries[0]?.error as Error).message, 'broken');
  });

  async function failing(times: number) {
    const parts = manualQueue();
    parts.queue.add('a');
    for (let i = 0; i < times; i++) {
      await parts.clock.advance(hour);
      parts.passes.fail('a', 1);
      await parts.clock.advance(0);
    }
    return parts;
  }
});

describe('abandoned passes', () => {
  it('free their slot but keep their key until they have ended', async () => {
    const { queue, passes, clock } = manualQueue(1);
    queue.add('a');
    queue.add('b');
    await clock.advance(0);
    passes.abandon('a');
    await clock.advance(0);
    assert.deepEqual(passes.running, ['b']);
    passes.done('b');
    await clock.advance(hour);
    assert.deepEqual(passes.started, ['a', 'b'], 'its retry is due, but it still lives');
    passes.end('a');
    await clock.advance(0);
    assert.deepEqual(passes.running, ['a']);
    assert.equal(passes.retries[0]?.failures, 1);
  });

  it('are tried again with backoff when they end before that', async () => {
    const { queue, passes, clock } = manualQueue();
    queue.add('a');
    await clock.advance(0);
    passes.abandon('a');
    await clock.advance(0);
    passes.end('a');
    await clock.advance(4);
    assert.deepEqual(passes.running, []);
    await clock.advance(1);
    assert.deepEqual(passes.running, ['a']);
  });
});
