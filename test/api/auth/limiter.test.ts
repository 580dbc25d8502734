import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limiter } from '../../../api/auth/limiter.ts';
import { ProblemError } from '../../../specs/problem.ts';

/** Work that a test ends by hand, in the order it began. */
function handWork() {
  const ends: (() => void)[] = [];
  let running = 0;
  return {
    work: async () => {
      running += 1;
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
    },
    running: () => running,
    end: () => ends.shift()?.(),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('limiter', () => {
  it('runs no more than allowed at once and all of it in the end', async () => {
    const { work, running, end } = handWork();
    const limited = limiter(2, 10);
    const all = Promise.all([1, 2, 3, 4, 5].map(() => limited(work)));
    for (let left = 5; left > 0; left--) {
      await settled();
      assert.equal(running(), Math.min(left, 2));
      end();
    }
    await all;
    assert.equal(running(), 0);
  });

  it('refuses what does not fit in the queue, and goes on', async () => {
    const { work, end } = handWork();
    const limited = limiter(1, 1);
    const first = limited(work);
    const second = limited(work);
    await assert.rejects(
      limited(work),
      (error) => error instanceof ProblemError && error.code === 'unavailable',
    );
    end();
    await first;
    await settled();
    end();
    await second;
  });

  it('gives a place back when the work fails', async () => {
    const limited = limiter(1, 1);
    await assert.rejects(
      limited(() => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.equal(await limited(() => Promise.resolve('yes')), 'yes');
  });
});
