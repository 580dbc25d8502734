/** Registries on their worst days, through a real engine: each ends in a clear error, and in time. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DockerEngine } from '../../../../controllers/engine/docker.ts';
import { EngineError } from '../../../../controllers/engine/engine.ts';
import { RegistryError, type RegistryFault } from '../../../../controllers/engine/registry-error.ts';
import { systemClock } from '../../../../controllers/runtime/system-clock.ts';
import type { Clock } from '../../../../specs/clock.ts';
import { startTestEngine, type TestEngine } from '../../../support/engine.ts';
import { behaviours, startHostileEngine } from '../../../support/hostile-engine.ts';
import {
  misbehaviours,
  startHostileRegistry,
  type HostileRegistry,
  type Part,
} from '../../../support/hostile-registry.ts';

/** Deadlines of engine calls pass twenty times as fast: a minute is three seconds. */
const hurried: Clock = { ...systemClock, after: (ms, fn) => systemClock.after(ms / 20, fn) };

let testEngine: TestEngine;
let engine: DockerEngine;

before(async () => {
  testEngine = await startTestEngine();
  engine = new DockerEngine({ endpoint: testEngine.endpoint, clock: hurried });
});
after(() => testEngine.stop());

const request = (reference: string) => ({
  ...{ reference, signal: new AbortController().signal },
  onLine: () => undefined,
});

async function faultOf(call: Promise<unknown>): Promise<RegistryFault> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof RegistryError, String(error));
  assert.doesNotMatch(error.message, /\n|<html>|^.{400}/);
  return error.fault;
}

async function withRegistry(
  use: (registry: HostileRegistry) => Promise<void>,
  architecture?: string,
): Promise<void> {
  const registry = await startHostileRegistry(architecture);
  try {
    await use(registry);
  } finally {
    await registry.close();
  }
}

/** What a question for the digest ends with. */
const questions: [misbehaviour: keyof typeof misbehaviours, part: Part, fault: RegistryFault][] = [
  ['stall', 'manifest', 'stalled'],
  ['stuck', 'manifest', 'stalled'],
  ['breakOff', 'manifest', 'unreachable'],
  ['wrong', 'manifest', 'damaged'],
  ['page', 'manifest', 'damaged'],
  ['unauthorized', 'ping', 'denied'],
  ['unauthorized', 'manifest', 'denied'],
  ['forbidden', 'manifest', 'denied'],
  ['tooMany', 'manifest', 'rate_limited'],
  ['failing', 'manifest', 'unreachable'],
  ['away', 'manifest', 'unreachable'],
];

/** What a pull ends with. What an engine tries again by itself for long (a layer that breaks off) is not here. */
const pulls: typeof questions = [
  ['stall', 'manifest', 'stalled'],
  ['stall', 'layer', 'stalled'],
  ['stuck', 'layer', 'stalled'],
  ['tooMany', 'layer', 'rate_limited'],
  ['wrong', 'layer', 'damaged'],
  ['page', 'layer', 'damaged'],
  ['wrong', 'config', 'damaged'],
];

describe('a registry', () => {
  for (const [misbehaviour, part, fault] of questions) {
    it(`(${misbehaviour}, ${part}) does not say what it has: ${fault}`, () =>
      withRegistry(async (registry) => {
        registry.behave(part, misbehaviours[misbehaviour]);
        assert.equal(await faultOf(engine.resolveImage(request(`${registry.server}/bad/day:1`))), fault);
      }));
  }

  for (const [misbehaviour, part, fault] of pulls) {
    it(`(${misbehaviour}, ${part}) does not give what it has: ${fault}`, () =>
      withRegistry(async (registry) => {
        registry.behave(part, misbehaviours[misbehaviour]);
        const reference = `${registry.server}/bad/day@${registry.digest}`;
        assert.equal(await faultOf(engine.pullImage(request(reference))), fault);
        assert.ok(registry.asked(part) > 0);
        assert.equal(await engine.inspectImage(reference), undefined);
      }));
  }

  it('that breaks off in the middle of a layer is asked again by the engine, which says so', () =>
    withRegistry(async (registry) => {
      let broken = 0;
      registry.behave('layer', (asked, response) => {
        if (++broken === 3) registry.behave('layer');
        misbehaviours.failing(asked, response);
      });
      const reference = `${registry.server}/bad/day@${registry.digest}`;
      const lines: string[] = [];
      const patient = new DockerEngine({ endpoint: testEngine.endpoint, clock: systemClock });
      const { id, digests } = await patient.pullImage({
        ...request(reference),
        onLine: (line) => void lines.push(line),
      });
      assert.deepEqual(digests, [reference]);
      assert.ok(
        lines.some((line) => line.endsWith('broke off, and is tried again')),
        lines.join('\n'),
      );
      await engine.removeImage(id);
    }));

  it('has an image for other machines only: nothing is pulled', () =>
    withRegistry(async (registry) => {
      const call = engine.resolveImage(request(`${registry.server}/bad/day:1`));
      await assert.rejects(call, /made for linux\/s390x, and this machine is linux\//);
      assert.equal(registry.asked('layer'), 0);
    }, 's390x'));

  it('is let go of when nobody wants the image any more, and gives it when somebody does again', () =>
    withRegistry(async (registry) => {
      const reference = `${registry.server}/bad/day@${registry.digest}`;
      const controller = new AbortController();
      registry.behave('layer', (asked, response) => {
        misbehaviours.stuck(asked, response);
        controller.abort();
      });
      const pulling = engine.pullImage({ ...request(reference), signal: controller.signal });
      await assert.rejects(pulling, (error) => error instanceof EngineError && error.code === 'aborted');
      assert.equal(await engine.inspectImage(reference), undefined);
      registry.behave('layer');
      const { id } = await engine.pullImage(request(reference));
      await engine.removeImage(id);
    }));
});

describe('an engine', () => {
  for (const [name, code] of [
    ['half', 'unavailable'],
    ['garbage', 'unavailable'],
    ['foreign', 'unavailable'],
    ['reset', 'unavailable'],
  ] as const) {
    it(`(${name}) that fails itself is no registry that fails`, async () => {
      const hostile = await startHostileEngine(behaviours[name]);
      const failing = new DockerEngine({ endpoint: hostile.endpoint, clock: hurried });
      for (const call of [
        failing.resolveImage(request('ghcr.io/a/b:1')),
        failing.pullImage(request('ghcr.io/a/b:1')),
      ]) {
        await assert.rejects(call, (error) => {
          assert.ok(error instanceof EngineError && !(error instanceof RegistryError), String(error));
          assert.equal(error.code, code);
          return true;
        });
      }
      await hostile.close();
    });
  }

  it('gets credentials in a header, and nowhere else', async () => {
    const seen: { url: string; auth: string }[] = [];
    const hostile = await startHostileEngine(({ url = '', headers }, response) => {
      seen.push({ url, auth: String(headers['x-registry-auth']) });
      response.writeHead(500, { 'content-type': 'application/json' }).end('{"message":"unauthorized"}');
    });
    const asked = new DockerEngine({ endpoint: hostile.endpoint, clock: hurried });
    const auth = { server: 'ghcr.io', username: 'ada', password: 'correct/horse+???' };
    for (const call of [
      asked.resolveImage({ ...request('ghcr.io/a/b:1'), auth }),
      asked.pullImage({ ...request('ghcr.io/a/b:1'), auth }),
    ])
      await assert.rejects(
        call,
        (error) => error instanceof RegistryError && !error.message.includes('horse'),
      );
    await hostile.close();
    assert.equal(seen.length, 2);
    for (const { url, auth: header } of seen) {
      assert.doesNotMatch(url, /horse|ada/);
      assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), {
        ...{ username: 'ada', password: auth.password, serveraddress: 'ghcr.io' },
      });
    }
  });
});
