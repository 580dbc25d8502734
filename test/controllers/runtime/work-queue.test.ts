import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { manualQueue } from '../../support/manual-passes.ts';

const hour = 3_600_000;

describe('adding', () => {
  it('merges queued keys', async () => {
    const { queue, passes, settle } = manualQueue();
    queue.add('a');
    queue.add('a');
    queue.add('a');
    assert.deepEqual(passes.started, [], 'not within the call that woke it');
    await settle();
    assert.deepEqual(passes.started, ['a']);
    passes.done('a');
    await settle();
    assert.deepEqual(passes.started, ['a']);
    assert.equal(passes.added, 1);
  });

  it('runs a key that was woken while it ran once more, and only once', async () => {
    const { queue, passes, settle } = manualQueue();
    queue.add('a');
    await settle();
    queue.add('a');
    queue.add('a');
    await settle();
    assert.deepEqual(passes.started, ['a']);
    passes.done('a');
    await settle();
    assert.deepEqual(passes.started, ['a', 'a']);
    passes.done('a');
    await settle();
    assert.deepEqual(passes.started, ['a', 'a']);
    assert.equal(passes.added, 2);
  });

  it('runs as many keys at once as it may, in order', async () => {
    const { queue, passes, settle } = manualQueue(2);
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    await settle();
    assert.deepEqual(passes.running, ['a', 'b']);
    assert.equal(queue.depth, 2);
    passes.done('b');
    await settle();
    assert.deepEqual(passes.running, ['a', 'c']);
    passes.done('a');
    passes.done('c');
    await settle();
    assert.deepEqual(passes.running, ['d']);
    assert.equal(passes.peak, 2);
  });

  it('lets normal keys go before low ones, and raises a low one', async () => {
    const { queue, passes, settle } = manualQueue(1);
    queue.add('running');
    await settle();
    for (const key of ['low1', 'low2', 'low3']) queue.add(key, { priority: 'low' });
    queue.add('normal');
    queue.add('low3');
    queue.add('low3', { priority: 'low' });
    for (const key of ['running', 'normal', 'low3', 'low1', 'low2']) {
      assert.deepEqual(passes.running, [key]);
      passes.done(key);
      await settle();
    }
    assert.equal(queue.size, 0);
  });

  it('keeps the priority of a wake during the pass', async () => {
    const { queue, passes, settle } = manualQueue(1);
    queue.add('a');
    await settle();
    queue.add('a', { priority: 'low' });
    queue.add('b');
    passes.done('a');
    await settle();
    assert.deepEqual(passes.running, ['b']);
    queue.add('c');
    queue.add('b');
    queue.add('b', { priority: 'low' });
    passes.done('b');
    await settle();
    assert.deepEqual(passes.running, ['c']);
    passes.done('c');
    await settle();
    assert.deepEqual(passes.running, ['b']);
    passes.done('b');
    await settle();
    assert.deepEqual(passes.started, ['a', 'b', 'c', 'b', 'a']);
  });

  it('tells how long keys waited for a slot', async () => {
    const { queue, passes, clock } = manualQueue(1);
    queue.add('a');
    queue.add('b');
    await clock.advance(70);
    passes.done('a');
    await clock.advance(0);
    assert.deepEqual(passes.waits, [0, 70]);
  });
});

describe('delays', () => {
  const table: [name: string, delays: number[], at: number[]][] = [
    ['one delay', [100], [100]],
    ['the later one first', [100, 40], [40]],
    ['the earlier one first', [40, 100], [40]],
    ['no delay at all', [100, 0], [0]],
    ['a negative one', [-5], [0]],
  ];
  for (const [name, delays, at] of table) {
    it(`lets the earliest win: ${name}`, async () => {
      const { queue, passes, clock } = manualQueue();
      const seen: number[] = [];
      for (const ms of delays) queue.addAfter('a', ms);
      for (let now = 0; now <= 200; now += 20) {
        await clock.advance(now === 0 ? 0 : 20);
        if (passes.running.length === 0) continue;
        seen.push(now);
        passes.done('a');
      }
      assert.deepEqual(seen, at);
      assert.equal(queue.size, 0);
    });
  }

  it('keeps a delay through an earlier pass', async () => {
    const { queue, passes, clock } = manualQueue();
    queue.addAfter('a', 100);
    queue.add('a');
    await clock.advance(50);
    passes.done('a');
    await clock.advance(49);
    assert.deepEqual(passes.started, ['a']);
    await clock.advance(1);
    assert.deepEqual(passes.started, ['a', 'a']);
  });

  it('runs once more when a delay ends during the pass', async () => {
    const { queue, passes, clock } = manualQueue();
    queue.addAfter('a', 100);
    queue.add('a');
    await clock.advance(150);
    assert.deepEqual(passes.started, ['a']);
    passes.done('a');
    await clock.advance(0);
    assert.deepEqual(passes.started, ['a', 'a']);
  });

  it('wakes a pass that asked for it, and drops the key afterwards', async () => {
    const { queue, passes, clock } = manualQueue();
    queue.add('a');
    await clock.advance(0);
    passes.done('a', 1_000);
    await clock.advance(999);
    assert.equal(passes.started.length, 1);
    assert.equal(queue.size, 1);
    await clock.advance(1);
    assert.equal(passes.started.length, 2);
    passes.done('a');
    await clock.advance(0);
    assert.equal(queue.size, 0);
    assert.equal(clock.pending, 0);
  });

  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`refuses a delay of ${ms}`, () => {
      const { queue } = manualQueue();
      assert.throws(() => queue.addAfter('a', ms), RangeError);
    });
  }

  for (const by of [-hour, hour]) {
    it(`is not moved when the wall clock jumps by ${by / hour} h`, async () => {
      const { queue, passes, clock, jump } = manualQueue();
      queue.addAfter('a', 100);
      jump.by = by;
      if (by < 0) queue.addAfter('a', 200);
      await clock.advance(99);
      assert.deepEqual(passes.started, []);
      await clock.advance(1);
      assert.deepEqual(passes.started, ['a']);
    });
  }
});

describe('closing', () => {
  it('aborts what runs, takes nothing more, and resolves once that has ended', async () => {
    const { queue, passes, clock } = manualQueue(1);
    for (const key of ['a', 'b']) queue.add(key);
    queue.addAfter('c', 10);
    await clock.advance(0);
    let closed = false;
    const closing = queue.close().then(() => (closed = true));
    assert.equal(passes.signalOf('a').aborted, true);
    queue.add('d');
    queue.addAfter('e', 0);
    await clock.advance(hour);
    assert.equal(closed, false);
    passes.fail('a');
    await closing;
    await clock.advance(hour);
    assert.deepEqual(passes.started, ['a']);
    assert.equal(queue.depth, 0);
    assert.equal(queue.size, 0);
    assert.equal(clock.pending, 0);
  });

  it('does not wait for a pass that was abandoned', async () => {
    const { queue, passes, clock } = manualQueue();
    queue.add('a');
    await clock.advance(0);
    passes.abandon('a');
    await clock.advance(10);
    await queue.close();
    passes.end('a');
    await clock.advance(hour);
    assert.deepEqual(passes.started, ['a']);
  });

  it('resolves at once when nothing runs, also twice', async () => {
    const { queue } = manualQueue();
    await queue.close();
    await queue.close();
  });
});
