import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startResync } from '../../../controllers/runtime/resync.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';

const interval = 600_000;
const page = 20;

function setUp(count: number) {
  const clock = new ManualClock(0);
  const world = { ids: named(count), added: [] as string[], broken: false, resynced: false };
  const log = recordingLog();
  const middle = (bytes: number) => new Uint8Array(bytes).fill(128);
  const resync = startResync({
    clock,
    log,
    interval,
    page,
    random: middle,
    add: (id) => world.added.push(id),
    async list(before, limit) {
      await Promise.resolve();
      if (world.broken) throw new Error('disk');
      return world.ids.filter((id) => before === undefined || id < before).slice(0, limit);
    },
  });
  void resync.first.then(() => (world.resynced = true));
  return { clock, world, log, resync };
}

function named(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `id${String(count - i).padStart(6, '0')}`);
}

describe('the first round', () => {
  for (const count of [0, 1, page - 1, page, page + 1, 1_000]) {
    it(`adds each of ${count} keys once, at once`, async () => {
      const { clock, world } = setUp(count);
      await clock.advance(1_000);
      assert.deepEqual(world.added, world.ids);
      assert.equal(world.resynced, true);
    });
  }

  it('is tried again when the keys cannot be listed', async () => {
    const { clock, world, log } = setUp(30);
    world.broken = true;
    await clock.advance(1_000);
    assert.equal(world.resynced, false);
    assert.equal(log.lines.length, 1);
    world.broken = false;
    await clock.advance(6_000);
    assert.deepEqual(world.added, world.ids);
    assert.equal(world.resynced, true);
  });
});

describe('a later round', () => {
  it('adds every key once within the interval, never more than a page at a moment', async () => {
    const { clock, world } = setUp(1_010);
    await clock.advance(1_000);
    world.added = [];
    let most = 0;
    for (let at = 0; at < interval; at += 1_000) {
      const before = world.added.length;
      await clock.advance(1_000);
      most = Math.max(most, world.added.length - before);
    }
    assert.ok(most <= page, `${most} keys within a second`);
    assert.ok(new Set(world.added).size >= 990, `${new Set(world.added).size} keys of 1,010`);
    assert.ok(world.added.length <= 1_030, `${world.added.length} adds`);
  });

  it('takes hardly longer when there are many more keys than before', async () => {
    const { clock, world } = setUp(10);
    await clock.advance(1_000);
    world.ids = named(1_000);
    world.added = [];
    await clock.advance(1.2 * interval);
    assert.ok(new Set(world.added).size === 1_000);
  });

  it('of a single page comes once per interval, give or take a tenth', async () => {
    const { clock, world } = setUp(1);
    await clock.advance(interval * 0.89);
    assert.equal(world.added.length, 1);
    await clock.advance(interval * 0.22);
    assert.equal(world.added.length, 2);
  });
});

describe('stopping', () => {
  it('leaves no timer either when the keys cannot be listed just then', async () => {
    const { clock, world, resync } = setUp(100);
    world.broken = true;
    resync.stop();
    await clock.advance(0);
    assert.equal(clock.pending, 0);
  });

  it('adds nothing more, leaves no timer, and lets nobody wait for the first round', async () => {
    const { clock, world, resync } = setUp(100);
    resync.stop();
    await clock.advance(interval);
    assert.deepEqual(world.added, []);
    assert.equal(clock.pending, 0);
    assert.equal(world.resynced, true);
  });
});
