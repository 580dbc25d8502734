import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  defaultFloor,
  floorBytes,
  lookAtDisks,
  lowestDisk,
  parseFloor,
  type FileSystem,
  type Place,
} from '../../../controllers/gc/disks.ts';
import { watchRoom } from '../../../controllers/gc/room.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const GiB = 2 ** 30;
const data: Place = { path: '/data', holds: 'data' };
const images: Place = { path: '/images', holds: 'images' };

describe('a floor', () => {
  for (const [text, floor] of [
    ['10%', { share: 0.1, bytes: Infinity }],
    ['5Gi', { share: 1, bytes: 5 * GiB }],
    ['0', { share: 1, bytes: 0 }],
    ['2.5%, 512Mi', { share: 0.025, bytes: 512 * 2 ** 20 }],
    [defaultFloor, { share: 0.1, bytes: 5 * GiB }],
  ] as const)
    it(`may be ${text}`, () => assert.deepEqual(parseFloor(text), floor));

  for (const text of ['', '100%', '-1%', '5GiB', 'ten', '10%,', '1e3'])
    it(`may not be "${text}"`, () => assert.throws(() => parseFloor(text), /is no disk floor: write 10%/));

  it('is reckoned of a real directory', async () => {
    assert.equal(await floorBytes(parseFloor('1Ki'), '/'), 1024);
  });
});

describe('disks', () => {
  const look = (found: Record<string, FileSystem>) => (path: string) =>
    path in found ? Promise.resolve(found[path] as FileSystem) : Promise.reject(new Error('EACCES'));

  it('are looked at once each, whatever they hold', async () => {
    const one = { device: 1, freeBytes: 9 * GiB, totalBytes: 100 * GiB };
    const options = { floor: parseFloor(defaultFloor), places: () => [data, images] };
    assert.deepEqual(await lookAtDisks({ ...options, look: look({ '/data': one, '/images': one }) }), [
      {
        ...{ path: '/data', holds: ['data', 'images'], free_bytes: 9 * GiB, total_bytes: 100 * GiB },
        floor_bytes: 5 * GiB,
      },
    ]);
    const only = await lookAtDisks({ ...options, look: look({ '/data': one }) });
    assert.deepEqual(
      only.map(({ holds }) => holds),
      [['data']],
      'one that cannot be asked is left out',
    );
  });

  it('are low below the floor, and the one that lacks the most counts', async () => {
    const found = {
      '/data': { device: 1, freeBytes: 4 * GiB, totalBytes: 100 * GiB },
      '/images': { device: 2, freeBytes: 0, totalBytes: 20 * GiB },
    };
    const disks = await lookAtDisks({
      ...{ floor: parseFloor(defaultFloor), places: () => [data, images], look: look(found) },
    });
    assert.equal(lowestDisk(disks)?.path, '/images');
    assert.equal(lowestDisk(disks.map((disk) => ({ ...disk, free_bytes: disk.floor_bytes }))), undefined);
  });
});

describe('room', () => {
  function room(freeBytes: number, wouldFree?: number) {
    const clock = new ManualClock();
    const disk = { path: '/data', holds: ['data' as const], total_bytes: 100 * GiB, floor_bytes: 5 * GiB };
    const world = { freeBytes, woken: 0 };
    const watched = watchRoom({
      look: () => Promise.resolve([{ ...disk, free_bytes: world.freeBytes }]),
      wouldFree: () => wouldFree,
      onLow: () => {
        world.woken++;
      },
      clock,
    });
    return { clock, world, watched };
  }

  it('is there above the floor', async () => {
    const { watched, world } = room(5 * GiB);
    await watched.require();
    assert.equal(world.woken, 0);
    await watched.close();
  });

  it('is refused below it, with what is free and what a collection would free', async () => {
    const { watched } = room(1.25 * GiB, 3.5 * GiB);
    await assert.rejects(watched.require(), {
      code: 'unavailable',
      retryAfter: 60,
      message:
        "The node's disk (/data) is too full to take anything new: 1.3 GiB are free, the floor is 5.0 GiB. svc gc would free up to 3.5 GiB.",
    });
    await watched.close();
    const { watched: hopeless } = room(0, 0);
    await assert.rejects(hopeless.require(), /svc gc would free nothing: free some space there/);
    await hopeless.close();
  });

  it('wakes once each time that it gets short, and shows what it saw', async () => {
    const { clock, watched, world } = room(5 * GiB);
    await clock.advance(15_000);
    world.freeBytes = GiB;
    await clock.advance(15_000);
    await clock.advance(15_000);
    assert.equal(world.woken, 1);
    assert.equal(watched.disks()[0]?.free_bytes, GiB);
    world.freeBytes = 6 * GiB;
    await clock.advance(15_000);
    world.freeBytes = GiB;
    await clock.advance(15_000);
    assert.equal(world.woken, 2);
    await watched.close();
  });
});
