import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { systemClock, systemRandom } from '../../../controllers/runtime/system-clock.ts';

describe('systemClock', () => {
  it('tells the time', () => {
    const before = Date.now();
    const now = systemClock.now();
    assert.ok(now >= before && now <= Date.now());
  });

  it('runs what is due, and not what was cancelled', async () => {
    const fired: string[] = [];
    const cancel = systemClock.after(0, () => fired.push('cancelled'));
    await new Promise<void>((resolve) => {
      systemClock.after(1, resolve);
      cancel();
    });
    assert.deepEqual(fired, []);
  });

  const day = 86_400_000;
  const longest = 2 ** 31 - 1;
  for (const ms of [day, longest, longest + 1, 25 * day, 60 * day, 400 * day]) {
    it(`waits ${ms} ms, not a moment less`, (t) => {
      mock.timers.enable({ apis: ['setTimeout'] });
      t.after(() => mock.timers.reset());
      let fired = 0;
      systemClock.after(ms, () => fired++);
      let left = ms;
      for (; left > longest; left -= longest) mock.timers.tick(longest);
      mock.timers.tick(left - 1);
      assert.equal(fired, 0);
      mock.timers.tick(1);
      assert.equal(fired, 1);
    });
  }

  it('cancels a long delay also in its second part', (t) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    t.after(() => mock.timers.reset());
    let fired = 0;
    const cancel = systemClock.after(40 * day, () => fired++);
    mock.timers.tick(30 * day);
    cancel();
    mock.timers.tick(30 * day);
    assert.equal(fired, 0);
  });
});

it('systemRandom gives as many bytes as asked, and other ones each time', () => {
  assert.equal(systemRandom(0).length, 0);
  const [one, other] = [systemRandom(16), systemRandom(16)];
  assert.equal(one.length, 16);
  assert.notDeepEqual(one, other);
});

it('systemRandom never gives the same bytes twice, however many are asked for', () => {
  const sizes = Array.from({ length: 5_000 }, (_, index) => (index % 7 === 0 ? 2_000 : 16));
  const given = sizes.map((size) => Buffer.from(systemRandom(size)));
  assert.deepEqual(
    given.map(({ length }) => length),
    sizes,
  );
  assert.equal(new Set(given.map((bytes) => bytes.toString('hex', 0, 16))).size, sizes.length);
});
