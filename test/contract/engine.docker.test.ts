/** The Docker engine keeps the contract, on a real one. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { DockerEngine } from '../../controllers/engine/docker.ts';
import { systemClock } from '../../controllers/runtime/system-clock.ts';
import { contextOf } from '../support/build-context.ts';
import { ensureBaseImage, startTestEngine } from '../support/engine.ts';
import type { Program } from '../support/fake-container.ts';
import { freePort } from '../support/free-port.ts';
import { engineCall } from '../support/http-answer.ts';
import { puller, startRegistry, type TestRegistry } from '../support/registry.ts';
import { engineContract } from './engine.ts';

/** The program as a Dockerfile. The shell passes a signal on only while it waits, so it sleeps in the background. */
function dockerfileOf({ prints = [], exits, outOfMemory, refuses, ignoresTerm }: Program): string {
  const script = [
    ignoresTerm ? "trap '' TERM" : "trap 'exit 143' TERM",
    ...prints.map((line) => `echo '${line}'`),
    ...(outOfMemory ? ['exec tail /dev/zero'] : []),
    exits === undefined ? 'while :; do sleep 1000 & wait; done' : `exit ${exits}`,
  ].join('\n');
  return [
    'FROM busybox',
    ...(refuses ? ['USER nosuch'] : []),
    `CMD ${JSON.stringify(['sh', '-c', script])}`,
  ].join('\n');
}

engineContract('docker', async () => {
  const testEngine = await startTestEngine();
  const { endpoint } = testEngine;
  await ensureBaseImage(endpoint);
  const unique = `t${randomBytes(4).toString('hex')}`;
  const engine = new DockerEngine({ endpoint, clock: systemClock });
  const images: string[] = [];
  const [second = 0, third = 0] = randomBytes(2);
  const [open, guarded] = await Promise.all([startRegistry(), startRegistry({ guarded: true })]);
  const image = async (program: Program): Promise<string> => {
    const tag = `svc/${unique}:image-${images.length}`;
    images.push(tag);
    return engine.build({
      context: contextOf({ Dockerfile: dockerfileOf(program) }),
      dockerfile: 'Dockerfile',
      tag,
      labels: { 'svc.node': unique },
      cacheScope: unique,
      limits: { memoryBytes: 64 * 2 ** 20, cpus: 1 },
      onLine: () => undefined,
      signal: new AbortController().signal,
    });
  };
  /** The engine is left without it. */
  const publish = async (registry: TestRegistry, name: string, program: Program): Promise<string> => {
    const tag = `svc/${unique}:published-${randomBytes(4).toString('hex')}`;
    const prints = [...(program.prints ?? []), tag];
    await engine.tagImage(await image({ ...program, prints }), tag);
    const digest = await registry.publish(endpoint, tag, name);
    await engine.removeImage(images.pop() ?? '');
    await engine.removeImage(tag);
    return digest;
  };
  return {
    engine,
    unique,
    range: `10.${190 + (second % 10)}.${third % 250}`,
    image,
    prepare: (_tag, { prints, exits = 0, hangs }) => {
      const step = `RUN echo ${prints}; : ${unique}; ${hangs ? 'sleep 1000' : `exit ${exits}`}`;
      return Promise.resolve(contextOf({ Dockerfile: `FROM busybox\n${step}\n` }));
    },
    registry: { server: open.server, publish: (name, program) => publish(open, name, program) },
    guarded: {
      server: guarded.server,
      ...puller,
      publish: (name, program) => publish(guarded, name, program),
    },
    nobody: `127.0.0.1:${await freePort()}`,
    pause: async (id) => {
      const { status, text } = await engineCall(endpoint, 'POST', `/containers/${id}/pause`);
      assert.equal(status, 204, text);
    },
    tune: async (id, lasting) => {
      const body = JSON.stringify(lasting ? { CpuQuota: -1 } : { MemorySwap: -1 });
      const { status, text } = await engineCall(endpoint, 'POST', `/containers/${id}/update`, body);
      assert.equal(status, 200, text);
    },
    tick: () => setTimeout(50),
    close: async () => {
      for (const tag of images) await engine.removeImage(tag);
      await Promise.all([open.stop(), guarded.stop()]);
      await testEngine.stop();
    },
  };
});
