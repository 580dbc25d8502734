/** Layers on a bad way from a real registry to a real engine: slow, stopped, broken off. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, it } from 'node:test';
import { DockerEngine } from '../../../../controllers/engine/docker.ts';
import { RegistryError } from '../../../../controllers/engine/registry-error.ts';
import { systemClock } from '../../../../controllers/runtime/system-clock.ts';
import type { Clock } from '../../../../specs/clock.ts';
import { startTestEngine, type TestEngine } from '../../../support/engine.ts';
import { startHostileEngine } from '../../../support/hostile-engine.ts';
import { makeImage, putImage } from '../../../support/plain-image.ts';
import { startRegistry, type TestRegistry } from '../../../support/registry.ts';
import { startRegistryProxy, type RegistryProxy } from '../../../support/registry-proxy.ts';

/** A minute of silence is three seconds. */
const hurried: Clock = { ...systemClock, after: (ms, fn) => systemClock.after(ms / 20, fn) };

let testEngine: TestEngine;
let engine: DockerEngine;
let registry: TestRegistry;
let proxy: RegistryProxy;
let lines: string[];

before(async () => {
  testEngine = await startTestEngine();
  engine = new DockerEngine({ endpoint: testEngine.endpoint, clock: hurried });
  registry = await startRegistry();
  proxy = await startRegistryProxy(registry.server);
});
after(async () => {
  await proxy.close();
  await registry.stop();
  await testEngine.stop();
});
beforeEach(() => {
  lines = [];
  proxy.asked.length = 0;
});

/** Puts a new image with a layer of some 2 MB behind the proxy. @returns its reference there */
async function large(name: string): Promise<string> {
  const digest = await putImage(registry.server, name, await makeImage({ content: randomBytes(2_000_000) }));
  return digest.replace(registry.server, proxy.server);
}

const pull = (reference: string, by = engine) =>
  by.pullImage({ reference, signal: new AbortController().signal, onLine: (line) => void lines.push(line) });

const passing = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('a slow layer that moves lives, however long it takes', async () => {
  const reference = await large('slow');
  // All of it takes twice as long as silence may.
  proxy.layers((chunk) => passing(chunk.length / 350).then(() => undefined));
  const begun = performance.now();
  const { id, digests } = await pull(reference);
  assert.ok(performance.now() - begun > 4_000);
  assert.deepEqual(digests, [reference]);
  await engine.removeImage(id);
});

it('a layer that stops in the middle is given up, after it was told what is awaited', async () => {
  const reference = await large('stops');
  proxy.layers((_, sent) => (sent < 500_000 ? Promise.resolve() : new Promise(() => undefined)));
  await assert.rejects(pull(reference), (error) => {
    assert.ok(error instanceof RegistryError);
    assert.deepEqual(
      [error.fault, error.message],
      ['stalled', `Nothing came from the registry ${proxy.server} for 60 s`],
    );
    return true;
  });
  for (const seconds of [15, 30, 45])
    assert.ok(lines.includes(`Nothing has come from the registry for ${seconds} s`), lines.join('\n'));
  assert.equal(await engine.inspectImage(reference), undefined);
});

it('a layer that breaks off is asked for from there on, and comes whole', async () => {
  const reference = await large('breaks');
  proxy.layers((_, sent) => (sent < 1_200_000 ? Promise.resolve() : Promise.reject(new Error('broken off'))));
  const patient = new DockerEngine({ endpoint: testEngine.endpoint, clock: systemClock });
  const { id, digests } = await pull(reference, patient);
  assert.deepEqual(digests, [reference]);
  assert.ok(
    lines.some((line) => line.endsWith('broke off, and is tried again')),
    lines.join('\n'),
  );
  assert.ok(
    proxy.asked.some((range) => range?.startsWith('bytes=') === true),
    String(proxy.asked),
  );
  await engine.removeImage(id);
});

it('a layer that breaks off each time the engine asks is told apart from a registry that is away', async () => {
  // As dockerd 20.10 reports it, after a minute and a quarter.
  const events = [
    { status: 'Pulling fs layer', progressDetail: {}, id: '924b0cb0fd27' },
    { status: 'Retrying in 5 seconds', progressDetail: {}, id: '924b0cb0fd27' },
    { errorDetail: { message: 'unexpected EOF' }, error: 'unexpected EOF' },
  ];
  const hostile = await startHostileEngine(({ url = '' }, response) => {
    if (url.includes('/images/create'))
      response.end(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    else response.end('{}');
  });
  const failing = new DockerEngine({ endpoint: hostile.endpoint, clock: hurried });
  await assert.rejects(pull('ghcr.io/a/b:1', failing), (error) => {
    assert.ok(error instanceof RegistryError, String(error));
    assert.equal(error.fault, 'interrupted');
    return true;
  });
  await hostile.close();
});
