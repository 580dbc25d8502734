import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { reach } from '../../../ingress/bridge/reach.ts';
import { stalledWorkload } from '../support/bridges.ts';

/** Asks one that hears nothing of the first question, and hears again 50 ms later. */
async function ask(t: TestContext, within: readonly number[]): Promise<Socket | Error> {
  const { port, goOn } = await stalledWorkload(t);
  const asked = new Promise<Socket | Error>((resolve) => {
    reach({ address: '127.0.0.1', port }, within, { reached: resolve, unreached: resolve });
  });
  await pause(50);
  goOn();
  const answer = await asked;
  if (!(answer instanceof Error)) t.after(() => answer.destroy());
  return answer;
}

// Less than a second in all: TCP by itself does not ask again before.
test('a question that was lost is asked again', async (t) => {
  assert.ok(!((await ask(t, [100, 100, 100, 500])) instanceof Error));
});

test('who asks once has no answer to a question that was lost', async (t) => {
  const answer = await ask(t, [800]);
  assert.equal((answer as NodeJS.ErrnoException).code, 'ETIMEDOUT');
});

test('who is no longer wanted says nothing, and leaves nothing open', async (t) => {
  const { port } = await stalledWorkload(t);
  let said = 0;
  const count = (): void => void (said += 1);
  const reaching = reach({ address: '127.0.0.1', port }, [50, 50], { reached: count, unreached: count });
  await pause(75);
  reaching.cancel();
  await pause(75);
  assert.equal(said, 0);
});

test('what answers at the address from outside of its network is not the workload, and is told nothing', async (t) => {
  const heard: Buffer[] = [];
  const stranger = createServer((socket) => socket.on('data', (chunk) => heard.push(chunk)));
  // Another /24 than the one that the node asks from: as when a network is gone, and its addresses lie behind a router.
  stranger.listen(0, '127.0.1.1');
  await once(stranger, 'listening');
  t.after(() => stranger.close());
  const { port } = stranger.address() as AddressInfo;
  const answer = await new Promise<Socket | Error>((resolve) => {
    reach({ address: '127.0.1.1', port }, [1_000], { reached: resolve, unreached: resolve });
  });
  if (!(answer instanceof Error)) answer.destroy();
  assert.equal((answer as NodeJS.ErrnoException).code, 'ENETUNREACH');
  assert.deepEqual(heard, []);
});
