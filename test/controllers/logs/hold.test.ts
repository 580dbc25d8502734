import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { holdLines } from '../../../controllers/logs/hold.ts';
import { createMasks } from '../../../specs/mask.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function aHold(...secrets: string[]) {
  const clock = new ManualClock();
  const shown: string[] = [];
  const held = createMasks(() => secrets).held<number>('prj');
  const hold = holdLines(held, clock, (line, number) => shown.push(`${number} ${line}`));
  return { clock, shown, hold };
}

describe('lines of a workload', () => {
  it('wait equally long, whatever they may be the beginning of', async () => {
    const { clock, shown, hold } = aHold('correct-horse-battery');
    hold.push('a', 'a correct', 1);
    hold.push('b', 'a wrong one', 2);
    await clock.advance(900);
    assert.deepEqual(shown, []);
    await clock.advance(100);
    assert.deepEqual(shown, ['1 a correct', '2 a wrong one']);
    assert.equal(clock.pending, 0);
  });

  it('are shown in their order without what is secret, when its rest comes in time', async () => {
    const { clock, shown, hold } = aHold('correct-horse-battery');
    hold.push('a', 'a correct', 1);
    await clock.advance(700);
    hold.push('a', '-horse-battery', 2);
    await clock.advance(300);
    assert.deepEqual(shown, ['1 a ***']);
    await clock.advance(500);
    assert.deepEqual(shown, ['1 a ***', '2 ***']);
  });

  it('are all shown when their source has ended', () => {
    const { clock, shown, hold } = aHold('correct-horse-battery');
    hold.push('a', 'a correct', 1);
    hold.push('a', 'end', 2);
    hold.flush();
    assert.deepEqual([shown, clock.pending], [['1 a correct', '2 end'], 0]);
  });

  it('do not wait where nothing is secret', () => {
    const { clock, shown, hold } = aHold();
    hold.push('a', 'at once', 1);
    assert.deepEqual([shown, clock.pending], [['1 at once'], 0]);
  });

  it('go before their time when they are too many, the oldest first', async () => {
    const { clock, shown, hold } = aHold('correct-horse-battery');
    for (let n = 0; n < 100; n++) hold.push('a', 'x'.repeat(10_000), n);
    assert.ok(shown.length > 50 && shown.length < 100, `${shown.length} lines`);
    await clock.advance(1_000);
    assert.deepEqual(
      shown.map((line) => line.split(' ')[0]),
      Array.from({ length: 100 }, (_, n) => `${n}`),
    );
  });
});
