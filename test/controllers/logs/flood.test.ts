import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFloods, type FloodGate } from '../../../controllers/logs/flood.ts';
import { createOmission } from '../../../controllers/logs/omission.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const limits = { passRate: 300, readRate: 400, keepRate: 100, burst: 1_000 };

/** Prints lines of cost 10 as fast as they are read, for so many milliseconds. @returns how many were read and kept */
async function print(clock: ManualClock, gates: readonly FloodGate[], ms: number) {
  const until = clock.now() + ms;
  let [read, kept] = [0, 0];
  while (clock.now() < until) {
    for (const gate of gates) {
      for (let wait = 0; wait === 0; read++) {
        if (gate.keeps(10)) kept++;
        wait = gate.read(10);
      }
    }
    await clock.advance(250);
  }
  return { read, kept };
}

describe('a flood', () => {
  it('is kept whole as long as it is a burst', () => {
    const gate = createFloods(new ManualClock(), limits).open();
    for (let line = 0; line < 99; line++) assert.ok(gate.keeps(10) && gate.read(10) === 0);
  });

  it('is read and kept no faster than its rates after that, in stretches', async () => {
    const clock = new ManualClock();
    const gate = createFloods(clock, limits).open();
    const { read, kept } = await print(clock, [gate], 60_000);
    assert.ok(read * 10 > 0.9 * 400 * 60 && read * 10 < 1_000 + 1.2 * 400 * 60, `${read}`);
    assert.ok(kept * 10 > 0.9 * 100 * 60 && kept * 10 < 1_000 + 1.2 * 100 * 60, `${kept}`);
    let changes = 0;
    let before = true;
    for (let line = 0; line < 500; line++) {
      const keeps = gate.keeps(1);
      if (keeps !== before) changes++;
      before = keeps;
      await clock.advance(5);
    }
    assert.ok(changes > 0 && changes < 20, `${changes}`);
  });

  it('shares the rates with the others, while who prints little has all of its own', async () => {
    const clock = new ManualClock();
    const floods = createFloods(clock, limits);
    const gates = [floods.open(), floods.open(), floods.open(), floods.open()];
    const { read } = await print(clock, gates, 60_000);
    assert.ok(read * 10 < 4 * 1_000 + 1.3 * 400 * 60, `${read}`);
    const quiet = floods.open();
    for (let line = 0; line < 50; line++) assert.ok(quiet.keeps(10) && quiet.read(10) === 0);
    for (const gate of gates) gate.close();
    const alone = await print(clock, [floods.open()], 60_000);
    assert.ok(alone.read * 10 > 0.9 * 400 * 60, `${alone.read}`);
  });

  it('is over once it has been quiet for a while', async () => {
    const clock = new ManualClock();
    const gate = createFloods(clock, limits).open();
    await print(clock, [gate], 10_000);
    await clock.advance(20_000);
    for (let line = 0; line < 99; line++) assert.ok(gate.keeps(10) && gate.read(10) === 0);
  });
});

describe('what is left out', () => {
  const line = (text: string) => ({ at: '', replica: 'rep_1', stream: 'stdout' as const, line: text });
  const texts = (count: number) => {
    const omission = createOmission();
    for (let n = 1; n <= count; n++) omission.add(line(`${n}`));
    return { omission, lines: omission.take().map((found) => found.line) };
  };

  it('is counted, but for its last lines, which are kept in their order', () => {
    const { omission, lines } = texts(1_234);
    assert.match(lines[0] ?? '', /^… at least 1214 lines dropped: /);
    assert.deepEqual([lines.length, lines[1], lines.at(-1)], [21, '1215', '1234']);
    assert.deepEqual(omission.take(), []);
    omission.add(line('later'));
    assert.deepEqual(
      omission.take().map((found) => found.line),
      ['later'],
    );
  });

  it('is all kept when it is little', () => {
    assert.deepEqual([texts(0).lines, texts(2).lines], [[], ['1', '2']]);
    assert.equal(texts(20).lines.length, 20);
    assert.match(texts(21).lines[0] ?? '', /at least 1 line dropped/);
  });
});
