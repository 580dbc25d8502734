/** Runs histories one after the other. A history that breaks a promise is made short and shown with its seed. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inspect } from 'node:util';
import { historyOf } from './history.ts';
import { run, shrink } from './run.ts';
import { serviceCount } from './tenants.ts';

/** $SIM_SEED, $SIM_HISTORIES and $SIM_TRACE say otherwise where a failure is looked into. */
const start = Number(process.env['SIM_SEED'] ?? 1);
const count = Number(process.env['SIM_HISTORIES'] ?? (process.env['SIM_SEED'] === undefined ? 75 : 1));
const trace = process.env['SIM_TRACE'] === undefined ? undefined : process.stderr;

/** @param nth of as many histories each: every file is a process of its own, so that two cores share the work */
export function keepsItsPromises(nth: number): void {
  const first = start + nth * count;
  it(`keeps its promises through ${count} histories from seed ${first} on`, async () => {
    for (let seed = first; seed < first + count; seed++) {
      const history = historyOf(seed, serviceCount);
      const { violations, steps } = await run({ seed, trace }, history);
      if (violations.length === 0) continue;
      const least = await shrink({ seed }, history.slice(0, steps));
      const shown = inspect(least, { breakLength: 120, maxArrayLength: null });
      assert.fail(
        `SIM_SEED=${seed}\n${violations.join('\n')}\n\nthe least history that fails with this seed:\n${shown}`,
      );
    }
  });
}
