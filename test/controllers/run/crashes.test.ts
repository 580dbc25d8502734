/**
 * Runs by the real controllers over the fake engine, with a control plane that dies between any two of its writes and calls:
 * nothing runs twice, nothing is lost, nothing is left.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { jobReconciler } from '../../../controllers/job/reconcile.ts';
import { runReconciler } from '../../../controllers/run/reconcile.ts';
import type { Store } from '../../../api/store/store.ts';
import type { Engine } from '../../../controllers/engine/engine.ts';
import { isOver } from '../../../specs/job.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import type { Program } from '../../support/fake-container.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { aJob, anId, aProject, memoryStore } from '../../support/store.ts';

const nodeId = 'node';

class Killed extends Error {}

/** A process that dies at its n-th effect: before it, or after it has taken effect and before anybody hears of that. */
class Life {
  private left: number;
  constructor(effects: number) {
    this.left = effects;
  }
  async effect<T>(work: () => Promise<T>): Promise<T> {
    this.goOn();
    const result = await work();
    this.goOn();
    return result;
  }
  private goOn(): void {
    if (this.left === 0) throw new Killed();
    this.left -= 1;
  }
}

/** Every method goes through the life; reads as well, for a pass may die there too. */
function mortal<T extends object>(of: T, methods: readonly (keyof T)[], life: Life): T {
  const own = Object.fromEntries(
    methods.map((name) => [
      name,
      (...args: unknown[]) =>
        life.effect(() => (of[name] as (...args: unknown[]) => Promise<unknown>).apply(of, args)),
    ]),
  );
  return new Proxy(of, {
    get: (target, name) => own[name as string] ?? (Reflect.get(target, name) as unknown),
  });
}

async function aWorld(program: Program, retries: number, close: (fn: () => Promise<void>) => void) {
  const clock = new ManualClock(Date.UTC(2030, 0, 1, 1));
  const engine = new FakeEngine(clock);
  const image = engine.addImage('busybox:1', program);
  await engine.ensureNetwork({ name: 'svc-node-shop', subnet: '10.210.0.0/24', labels: {} });
  const schedule = { schedule: '0 * * * *', retries, scheduled_since: '2030-01-01T00:30:00.000Z' };
  const store = await memoryStore([aProject(), aJob({ spec: { image, ...schedule } })], clock);
  close(() => store.close());
  let starts = 0;
  const counting: Engine = new Proxy<Engine>(engine, {
    get(target, name) {
      if (name !== 'startReplica') return Reflect.get(target, name) as unknown;
      return async (id: string) => {
        const before = await target.inspectReplica(id);
        if (before?.state === 'created') starts += 1;
        await target.startReplica(id);
      };
    },
  });
  return { clock, engine, counting, store, image, starts: () => starts };
}

type World = Awaited<ReturnType<typeof aWorld>>;

/** Nobody reads them here. */
const events = { record: () => undefined };

/** One control plane, until everything rests or it dies. @returns whether it rests */
async function live({ clock, counting, store, image }: World, life: Life): Promise<boolean> {
  const engine = mortal(counting, ['createReplica', 'startReplica', 'removeReplica'], life);
  const own: Store = mortal<Store>(store, ['write', 'patchStatus'], life);
  const context = { signal: new AbortController().signal };
  const job = jobReconciler({
    ...{ store: own, engine, clock, events },
    random: (count) => randomBytes(count),
  });
  const run = runReconciler({
    ...{ store: own, engine, clock, events, nodeId, masks: { text: (_, text) => text } },
    vault: { open: () => Promise.reject(new Error('there are no secrets')) },
    images: {
      find: () => ({ state: 'there', image }),
      start: () => undefined,
      forget: () => undefined,
    },
    output: { follow: () => undefined, drain: () => Promise.resolve() },
    isStopping: () => false,
    stopSoon: () => undefined,
    log: () => undefined,
    flushLog: () => Promise.resolve(),
    removeLogs: () => Promise.resolve(),
  });
  for (let pass = 0; pass < 40; pass++) {
    try {
      await job(anId('job'), context);
      for (const { id } of await store.list('Run')) await run(id, context);
    } catch (error) {
      if (error instanceof Killed) return false;
      throw error;
    }
    await clock.advance(500);
  }
  return true;
}

for (const { what, program, retries, expected } of [
  { what: 'succeeds', program: { exits: 0 }, retries: 2, expected: ['Succeeded', 1, 0, 1] },
  { what: 'fails in every try', program: { exits: 5 }, retries: 2, expected: ['Failed', 3, 5, 3] },
]) {
  it(`a scheduled run that ${what} is run once, wherever the control plane dies`, async (t) => {
    let deaths = 0;
    for (let effects = 0; effects < 80; effects++) {
      const world = await aWorld(program, retries, (fn) => t.after(fn));
      if (!(await live(world, new Life(effects)))) deaths += 1;
      assert.equal(await live(world, new Life(Infinity)), true);
      const runs = await world.store.list('Run');
      const [only] = runs;
      const after = `after ${effects} effects`;
      assert.equal(runs.length, 1, after);
      assert.ok(only && isOver(only.status.phase), after);
      const { phase, tries, exit_code, address, container } = only.status;
      assert.deepEqual([phase, tries, exit_code, world.starts()], expected, after);
      assert.deepEqual([address, container, world.engine.names()], [null, null, []], after);
      assert.equal(only.name, '2030-01-01T01:00:00.000Z');
    }
    // Each effect was the last one twice: before it and after it.
    assert.ok(deaths > 20, `it died ${deaths} times`);
  });
}
