/** What a node may not signal by itself, because it is not root, it ends from inside of the container. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, it } from 'node:test';
import { DockerEngine } from '../../controllers/engine/docker.ts';
import { systemClock } from '../../controllers/runtime/system-clock.ts';
import { contextOf } from '../support/build-context.ts';
import { ensureBaseImage, startTestEngine, type TestEngine } from '../support/engine.ts';
import { eventually } from '../support/eventually.ts';
import { processesWith } from '../support/processes.ts';

const unique = `t${randomBytes(4).toString('hex')}`;
const labels = { 'svc.node': unique };
let testEngine: TestEngine;
let engine: DockerEngine;
let network: string;
let container: string;

before(async () => {
  testEngine = await startTestEngine();
  await ensureBaseImage(testEngine.endpoint);
  const kill = () => {
    throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
  };
  engine = new DockerEngine({ endpoint: testEngine.endpoint, clock: systemClock, kill });
  const image = await engine.build({
    context: contextOf({ Dockerfile: 'FROM busybox\nUSER 1000\nCMD ["sleep", "1000"]\n' }),
    ...{ dockerfile: 'Dockerfile', tag: `svc/${unique}:image`, labels, cacheScope: unique },
    limits: { memoryBytes: 64 * 2 ** 20, cpus: 1 },
    onLine: () => undefined,
    signal: new AbortController().signal,
  });
  const range = `10.189.${randomBytes(1)[0] ?? 0}`;
  network = await engine.ensureNetwork({ name: `svc-${unique}`, subnet: `${range}.0/24`, labels });
  container = await engine.createReplica({
    ...{ name: unique, image, env: {}, labels, mounts: [] },
    network: { name: `svc-${unique}`, address: `${range}.2` },
    limits: { memoryBytes: 32 * 2 ** 20, cpus: 0.5, pids: 64 },
  });
  await engine.startReplica(container);
});

after(async () => {
  await engine.removeReplica(container);
  await engine.removeNetwork(network);
  await engine.removeImage(`svc/${unique}:image`);
  await testEngine.stop();
});

it('ends the command of a console, also one that does not hear', async () => {
  const word = String(400_000_000 + randomBytes(3).readUIntBE(0, 3));
  const command = ['sh', '-c', `trap '' HUP; sleep ${word} & sleep ${word}`];
  const session = await engine.exec(container, { command, tty: true });
  await eventually(async () => (await processesWith(word)).length === 2);
  await session.close();
  assert.deepEqual(await processesWith(word), []);
  assert.equal(await session.exitCode(), 137);
});
