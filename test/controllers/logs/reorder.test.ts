import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createReorder } from '../../../controllers/logs/reorder.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const item = (source: string, ms: number, name = `${source}${ms}`) => ({
  source,
  name,
  at: new Date(Date.UTC(2030, 0, 1) + ms).toISOString(),
});

function world(windowMs = 100) {
  const clock = new ManualClock();
  const released: string[] = [];
  const reorder = createReorder<ReturnType<typeof item>>(
    clock,
    () => windowMs,
    (items) => released.push(...items.map(({ name }) => name)),
  );
  return { clock, released, reorder };
}

describe('reorder', () => {
  it('holds an item for its window, and releases it with all that were printed before', async () => {
    const { clock, released, reorder } = world();
    reorder.push(item('a', 5));
    await clock.advance(60);
    reorder.push(item('b', 3));
    reorder.push(item('b', 8));
    await clock.advance(39);
    assert.deepEqual(released, []);
    await clock.advance(1);
    assert.deepEqual(released, ['b3', 'a5']);
    await clock.advance(60);
    assert.deepEqual(released, ['b3', 'a5', 'b8']);
    assert.equal(clock.pending, 0);
  });

  it('keeps the order of a source whose clock went back, and of equals as they came', async () => {
    const { clock, released, reorder } = world();
    reorder.push(item('a', 9));
    reorder.push(item('a', 1));
    reorder.push(item('b', 9));
    reorder.push(item('b', 4, 'b4'));
    await clock.advance(100);
    assert.deepEqual(released, ['a9', 'a1', 'b9', 'b4']);
  });

  it('holds nothing without a window, and nothing back when it is flushed', () => {
    const now = world(0);
    now.reorder.push(item('a', 2));
    now.reorder.push(item('b', 1));
    assert.deepEqual(now.released, ['a2', 'b1']);
    const later = world();
    later.reorder.push(item('a', 2));
    later.reorder.push(item('b', 1));
    later.reorder.flush();
    assert.deepEqual(later.released, ['b1', 'a2']);
    assert.equal(later.clock.pending, 0);
  });

  it('sorts whatever comes within one window', async () => {
    const items = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(50)), { maxLength: 200 });
    const property = fc.asyncProperty(items, async (all) => {
      const { clock, released, reorder } = world();
      // Each source in order, as it is printed.
      const sorted = [...all].sort(([, a], [, b]) => a - b);
      const mixed = ['c', 'a', 'b'].flatMap((name) => sorted.filter(([source]) => source === name));
      for (const [source, ms] of mixed) reorder.push(item(source, ms, `${ms}`));
      await clock.advance(100);
      assert.deepEqual(
        released.map(Number),
        sorted.map(([, ms]) => ms),
      );
    });
    await fc.assert(property, { numRuns: 30 });
  });
});
