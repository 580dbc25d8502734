import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inspect } from 'node:util';
import { historyOf } from './history.ts';
import { run, shrink } from './run.ts';
import { serviceCount } from './tenants.ts';

const first = Number(process.env['SIM_SEED'] ?? 1);
const count = Number(process.env['SIM_HISTORIES'] ?? (process.env['SIM_SEED'] === undefined ? 150 : 1));
const trace = process.env['SIM_TRACE'] === undefined ? undefined : process.stderr;

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
