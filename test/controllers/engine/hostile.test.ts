/** Every call of the engine ends, whatever the engine does: within its deadline, with an EngineError. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { inspect } from 'node:util';
import { DockerEngine } from '../../../controllers/engine/docker.ts';
import { EngineError, type Engine } from '../../../controllers/engine/engine.ts';
import { contextOf } from '../../support/build-context.ts';
import { behaviours, startHostileEngine, type Behaviour } from '../../support/hostile-engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const id = 'a'.repeat(64);
const { signal } = new AbortController();
const spec = {
  name: 'a',
  image: `sha256:${id}`,
  env: {},
  labels: {},
  network: { name: 'n', address: '10.0.0.2' },
  limits: { memoryBytes: 2 ** 25, cpus: 1, pids: 10 },
  mounts: [],
};

const building = (engine: Engine, cancel = signal) =>
  engine.build({
    context: contextOf({ Dockerfile: 'FROM scratch' }),
    dockerfile: 'Dockerfile',
    tag: 'svc/a:b',
    labels: {},
    cacheScope: '',
    limits: { memoryBytes: 2 ** 25, cpus: 1 },
    onLine: () => undefined,
    signal: cancel,
  });

/** Calls whose result comes out of the reply. */
const asking: Record<string, (engine: Engine) => Promise<unknown>> = {
  ensureNetwork: (engine) => engine.ensureNetwork({ name: 'n', subnet: '10.0.0.0/24', labels: {} }),
  listNetworks: (engine) => engine.listNetworks(),
  listImages: (engine) => engine.listImages({ a: 'b' }),
  findImage: (engine) => engine.findImage('svc/a:b'),
  createReplica: (engine) => engine.createReplica(spec),
  inspectReplica: (engine) => engine.inspectReplica(id),
  listReplicas: (engine) => engine.listReplicas({ a: 'b' }),
  build: (engine) => building(engine),
  replicaLogs: (engine) => Array.fromAsync(engine.replicaLogs(id, { follow: false, signal })),
  events: (engine) => Array.fromAsync(engine.events({ a: 'b' }, signal)),
};

/** Calls for which the status of the reply is enough. */
const telling: Record<string, (engine: Engine) => Promise<unknown>> = {
  removeNetwork: (engine) => engine.removeNetwork(id),
  tagImage: (engine) => engine.tagImage(id, 'svc/a:b'),
  removeImage: (engine) => engine.removeImage('svc/a:b'),
  startReplica: (engine) => engine.startReplica(id),
  stopReplica: (engine) => engine.stopReplica(id, 10_000),
  removeReplica: (engine) => engine.removeReplica(id),
};

/** The longest that a call may take; a build has as long between two of its events. Milliseconds. */
const limitOf = (name: string): number => (name === 'build' ? 3_700_000 : 80_000);

/** A log or an event stream that is open may be silent for ever: that is no fault of the engine. */
const maySilence = (call: string, behaviour: string): boolean =>
  behaviour === 'stuck' && ['replicaLogs', 'events'].includes(call);

async function scene(
  t: TestContext,
  behave: Behaviour,
): Promise<{ engine: DockerEngine; clock: ManualClock }> {
  const { endpoint, close } = await startHostileEngine(behave);
  t.after(close);
  const clock = new ManualClock();
  const engine = new DockerEngine({ endpoint, clock });
  await engine.info();
  return { engine, clock };
}

/** Lets time pass until the call settles. @returns its error, and how much time that took */
async function ending(call: Promise<unknown>, clock: ManualClock): Promise<{ error: unknown; took: number }> {
  const begun = clock.now();
  const end: { error?: unknown } = {};
  void call.then(
    () => (end.error = undefined),
    (error: unknown) => (end.error = error),
  );
  for (let tries = 0; !('error' in end); tries++) {
    assert.ok(tries < 2_000, 'it never settles');
    // Bytes take real time; deadlines take the clock's.
    await setTimeout(2);
    if (tries % 20 === 19) await clock.advance(clock.now() - begun < 70_000 ? 10_000 : 600_000);
  }
  return { error: end.error, took: clock.now() - begun };
}

for (const [behaviour, behave] of Object.entries<Behaviour>(behaviours)) {
  describe(`an engine that is ${behaviour}`, { concurrency: true }, () => {
    for (const [name, call] of Object.entries({ ...asking, ...telling })) {
      if (maySilence(name, behaviour)) continue;
      it(`ends ${name}`, async (t) => {
        const { engine, clock } = await scene(t, behave);
        const { error, took } = await ending(call(engine), clock);
        assert.ok(took <= limitOf(name), `it took ${took} ms`);
        if (error === undefined) {
          assert.ok(name in telling && ['garbage', 'foreign'].includes(behaviour), 'it must not succeed');
          return;
        }
        assert.ok(error instanceof EngineError, inspect(error));
        assert.equal(error.code, 'unavailable', error.message);
        assert.equal(clock.pending, 0);
      });
    }
  });
}

describe('a stream that is open and silent', () => {
  for (const name of ['replicaLogs', 'events'] as const) {
    it(`ends ${name} when nobody listens any more`, async (t) => {
      const { engine, clock } = await scene(t, (_, response) => response.writeHead(200).flushHeaders());
      const hangup = new AbortController();
      const streams: Record<typeof name, (listening: AbortSignal) => AsyncIterable<unknown>> = {
        events: (listening) => engine.events({ a: 'b' }, listening),
        replicaLogs: (listening) => engine.replicaLogs(id, { follow: true, signal: listening }),
      };
      const reading = Array.fromAsync(streams[name](hangup.signal));
      await setTimeout(20);
      hangup.abort();
      assert.deepEqual(await reading, []);
      assert.equal(clock.pending, 0);
    });
  }

  it('ends a build that is aborted, at any point of it', async (t) => {
    for (const behave of [behaviours.silent, behaviours.stuck]) {
      const { engine, clock } = await scene(t, behave);
      const cancel = new AbortController();
      const build = building(engine, cancel.signal);
      await setTimeout(20);
      cancel.abort();
      await assert.rejects(build, { code: 'aborted' });
      assert.equal(clock.pending, 0);
    }
  });
});
