import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { aStore } from '../../support/store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const writer = fileURLToPath(new URL('writer-process.ts', import.meta.url));
const file = join(temporaryDirectory(), 'svc.db');
const rounds = 6;

/** Starts a process that writes rows, and kills it with SIGKILL after so many acknowledgements. @returns their ids */
async function writeUntilKilled(round: number, acknowledgements: number): Promise<string[]> {
  const child = spawn(process.execPath, [writer, file, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acknowledged: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    acknowledged.push(line);
    // It goes on writing until the signal arrives: where that cuts it off is left to chance.
    if (acknowledged.length === acknowledgements) child.kill('SIGKILL');
  }
  return acknowledged;
}

describe('an acknowledged write', () => {
  it('survives kill -9 in the middle of the next ones', async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < rounds; round++) {
      acknowledged.push(...(await writeUntilKilled(round, 50 + 37 * round)));
      const store = await aStore({ file });
      const services = await store.list('Service');
      const there = new Set(services.map(({ id }) => id));
      assert.deepEqual(
        acknowledged.filter((id) => !there.has(id)),
        [],
      );
      // Both rows of a transaction or none.
      const deployments = await store.list('Deployment');
      assert.deepEqual(
        deployments.map(({ owner }) => owner),
        services.map(({ id }) => id),
      );
      await store.close();
    }
    assert.ok(acknowledged.length > 0);
  });
});
