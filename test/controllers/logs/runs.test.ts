import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openRuns, runStart } from '../../../controllers/logs/runs.ts';
import { scratchDir } from '../../support/archives.ts';

const at = (second: number) => `2030-01-01T00:00:${String(second).padStart(2, '0')}.000000000Z`;

describe('the beginning of a run', () => {
  it('lies half-way between the end of the one before and what the engine says', () => {
    assert.deepEqual(runStart(at(10), at(8)), { run: at(10), from: '2030-01-01T00:00:09.000Z' });
  });
  it('is before everything for the first, and what the engine says when the end is its own', () => {
    assert.ok(runStart(at(10), null).from < at(0));
    assert.equal(runStart(at(10), at(20)).from, at(10));
  });
});

describe('runs', () => {
  it('are on record beyond a restart of the node, each with its earliest beginning', async (test) => {
    const dir = join(await scratchDir(test), 'rep_1');
    const runs = await openRuns(dir);
    assert.equal(runs.previous(), undefined);
    await runs.add({ run: at(10), from: at(1) });
    assert.deepEqual(runs.previous(), { from: undefined, until: at(1) });
    await runs.add({ run: at(20), from: at(15) });
    await runs.add({ run: at(20), from: at(20) });
    await runs.add({ run: at(10), from: at(10) });
    const again = await openRuns(dir);
    assert.deepEqual(again.previous(), { from: at(1), until: at(15) });
    await again.add({ run: at(30), from: at(25) });
    assert.deepEqual(again.previous(), { from: at(15), until: at(25) });
  });

  it('up to now are one when a power cut has left the file in pieces', async (test) => {
    const dir = await scratchDir(test);
    for (const left of ['', '[{"run":', '7']) {
      await writeFile(join(dir, 'runs.json'), left);
      const runs = await openRuns(dir);
      assert.equal(runs.previous(), undefined);
      await runs.add({ run: at(10), from: at(5) });
      assert.equal((await openRuns(dir)).previous()?.until, at(5));
    }
  });
});
