import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Command } from './history.ts';
import { run } from './run.ts';

const [database, minute] = [3, 60_000];
const push: Command = { do: 'push', service: database, build: 'ok', nature: 'ok' };

it('has nothing of another version start beside what a late start brings', async () => {
  for (let seed = 1; seed <= 6; seed++) {
    const history: Command[] = [
      push,
      { do: 'wait', ms: 3 * minute },
      { do: 'start comes late' },
      { do: 'workload dies', nth: 0 },
      { do: 'wait', ms: 1_000 * seed },
      push,
      { do: 'wait', ms: 5 * minute },
    ];
    const { violations } = await run({ seed }, history);
    assert.deepEqual(violations, [], `seed ${seed}`);
  }
});
