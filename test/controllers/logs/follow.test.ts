import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openFollower } from '../../../controllers/logs/follow.ts';
import { openWorkloadLogs } from '../../../controllers/logs/workload-logs.ts';
import { createMasks } from '../../../specs/mask.ts';
import { scratchDir } from '../../support/archives.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';

const projectId = 'prj_1';
const serviceId = 'svc_1';
const deploymentId = 'dep_1';

async function world(test: TestContext, program = {}) {
  const clock = new ManualClock();
  const engine = new FakeEngine(clock);
  const dir = join(await scratchDir(test), 'logs');
  const log = recordingLog();
  const logs = await openWorkloadLogs({ dir, clock, log });
  const secrets: { values: string[] } = { values: [] };
  const masks = createMasks((project) => (project === projectId ? secrets.values : []));
  const follower = openFollower({ engine, logs, masks, clock, log });
  test.after(() => follower.close());
  const image = engine.addImage('app', program);
  await engine.ensureNetwork({ name: 'net', subnet: '10.0.0.0/24', labels: {} });
  const run = async (name: string) => {
    const network = { name: 'net', address: `10.0.0.${engine.names().length + 3}` };
    const limits = { memoryBytes: 2 ** 29, cpus: 1, pids: 512 };
    const container = await engine.createReplica({
      name,
      image,
      env: {},
      labels: {},
      network,
      limits,
      mounts: [],
    });
    await engine.startReplica(container);
    return { container, target: { replica: `rep_${name}`, container, projectId, serviceId, deploymentId } };
  };
  const kept = async () => {
    const lines: string[] = [];
    for await (const { line } of logs.read(serviceId, {})) lines.push(`${line.replica} ${line.line}`);
    return lines;
  };
  /** Resolves once so many lines are kept. */
  const until = async (count: number) => {
    let ring: () => void = () => undefined;
    const stop = logs.onAppend(serviceId, () => ring());
    try {
      for (;;) {
        // Before it is read: what is written meanwhile must ring as well.
        const rung = new Promise<void>((resolve) => (ring = resolve));
        const lines = await kept();
        if (lines.length >= count) return lines;
        await rung;
      }
    } finally {
      stop();
    }
  };
  /** Lets time pass until something has come to be. */
  const passing = async (isThere: () => boolean | Promise<boolean>) => {
    while (!(await isThere())) await clock.advance(100);
  };
  return { clock, engine, log, logs, masks, secrets, follower, dir, run, kept, until, passing };
}

describe('follower', () => {
  it('keeps what containers print, each under its replica', async (test) => {
    const { engine, follower, passing, run, kept } = await world(test, { prints: ['hello'] });
    const [a, b] = [await run('a'), await run('b')];
    follower.follow(a.target);
    follower.follow(b.target);
    await passing(async () => (await kept()).length === 2);
    engine.container('a').print('oops', 'stderr');
    await passing(async () => (await kept()).length === 3);
    assert.deepEqual((await kept()).sort(), ['rep_a hello', 'rep_a oops', 'rep_b hello']);
  });

  it('keeps every line once, however often it is told', async (test) => {
    const { engine, follower, run, until } = await world(test);
    const { target } = await run('a');
    for (let n = 0; n < 50; n++) {
      follower.follow(target);
      engine.container('a').print(`${n}`);
      if (n % 10 === 0) await new Promise(setImmediate);
    }
    assert.deepEqual(
      await until(50),
      [...Array(50).keys()].map((n) => `rep_a ${n}`),
    );
  });

  it('goes on where it was left after a restart of the node, although lines share a time', async (test) => {
    const { clock, engine, dir, masks, follower, run, until } = await world(test);
    const { target } = await run('a');
    const container = engine.container('a');
    const at = '2030-01-01T00:00:00.000000009Z';
    const lines = ['one', 'two', 'three', 'four'].map((line) => ({ at, stream: 'stdout' as const, line }));
    for (const { line } of lines.slice(0, 2)) container.print(line);
    follower.follow(target);
    await until(2);
    await follower.close();
    container.print('three');
    const logs = await openWorkloadLogs({ dir, clock, log: recordingLog() });
    const again = openFollower({ engine, logs, masks, clock, log: recordingLog() });
    test.after(() => again.close());
    assert.deepEqual(await again.last(target, 10), ['one', 'two', 'three']);
    // An engine whose lines all have one time.
    async function* replicaLogs() {
      yield* lines;
      await Promise.resolve();
    }
    const { replicaOutput } = engine;
    const same = openFollower({
      engine: { replicaLogs, replicaOutput },
      logs,
      masks,
      clock,
      log: recordingLog(),
    });
    const twin = { ...target, replica: 'rep_twin' };
    logs.append(serviceId, deploymentId, { at, replica: 'rep_twin', stream: 'stdout', line: 'one' });
    logs.append(serviceId, deploymentId, { at, replica: 'rep_twin', stream: 'stdout', line: 'two' });
    assert.deepEqual(await same.last(twin, 10), ['one', 'two', 'three', 'four']);
  });

  it('follows again when the engine comes back, and says once that it was away', async (test) => {
    const { engine, follower, log, passing, run, kept, until } = await world(test);
    const { target } = await run('a');
    engine.container('a').print('before');
    follower.follow(target);
    await until(1);
    engine.down();
    engine.container('a').print('meanwhile');
    await passing(() => log.lines.length >= 3);
    engine.up();
    engine.container('a').print('after');
    await passing(async () => (await kept()).length === 3);
    assert.deepEqual(await kept(), ['rep_a before', 'rep_a meanwhile', 'rep_a after']);
    assert.equal(log.lines.filter(({ level }) => level === 'warn').length, 1);
  });

  it('ends with its container, and follows the next run of it', async (test) => {
    const { engine, follower, passing, run, kept, until } = await world(test);
    const { container, target } = await run('a');
    follower.follow(target);
    engine.container('a').print('first run');
    engine.container('a').exit(1);
    await until(1);
    await engine.startReplica(container);
    engine.container('a').print('second run');
    await passing(async () => {
      follower.follow(target);
      return (await kept()).length === 2;
    });
    assert.deepEqual(await kept(), ['rep_a first run', 'rep_a second run']);
  });

  it('follows a new container of the same replica instead of the old one', async (test) => {
    const { clock, engine, follower, run, until } = await world(test);
    const [a, b] = [await run('a'), await run('b')];
    follower.follow(a.target);
    engine.container('a').print('old');
    await until(1);
    await clock.advance(1);
    follower.follow({ ...b.target, replica: a.target.replica });
    engine.container('b').print('new');
    assert.deepEqual(await until(2), ['rep_a old', 'rep_a new']);
  });

  it('knows the last lines of a container that died before anybody followed it', async (test) => {
    const { follower, run } = await world(test, { prints: ['starting', 'no config', 'bye'], exits: 1 });
    const { target } = await run('a');
    assert.deepEqual(await follower.last(target, 2), ['no config', 'bye']);
    assert.deepEqual(await follower.last(target, 20), ['starting', 'no config', 'bye']);
  });

  it('reads the last lines while it follows, and goes on following', async (test) => {
    const { engine, follower, run, until } = await world(test);
    const { target } = await run('a');
    follower.follow(target);
    engine.container('a').print('one');
    const asked = [follower.last(target, 5), follower.last(target, 5)];
    follower.follow(target);
    assert.deepEqual(await Promise.all(asked), [['one'], ['one']]);
    engine.container('a').print('two');
    assert.deepEqual(await until(2), ['rep_a one', 'rep_a two']);
  });

  it('has the kept lines when the engine is out of reach or never answers', async (test) => {
    const { engine, follower, passing, run, until } = await world(test);
    const { target } = await run('a');
    engine.container('a').print('one');
    follower.follow(target);
    await until(1);
    engine.down();
    assert.deepEqual(await follower.last(target, 5), ['one']);
    engine.up();
    engine.inject('replicaLogs', 'hang');
    let lines: string[] | undefined;
    void follower.last(target, 5).then((found) => (lines = found));
    await passing(() => lines !== undefined);
    assert.deepEqual(lines, ['one']);
  });

  it('keeps no secret, whole or split over lines, of either stream', async (test) => {
    const { engine, secrets, follower, run, kept, passing } = await world(test);
    secrets.values = ['correct-horse-battery'];
    const { target } = await run('a');
    follower.follow(target);
    const container = engine.container('a');
    container.print('SECRET=correct-horse-battery');
    container.print('correct-');
    container.print('correct-horse', 'stderr');
    container.print('horse-battery!');
    container.print('-battery.', 'stderr');
    await passing(async () => (await kept()).length === 5);
    assert.deepEqual(
      await kept(),
      ['SECRET=***', '***', '***', '***!', '***.'].map((line) => `rep_a ${line}`),
    );
  });

  it('knows what a value began with when the node restarted, or the engine went away, in the middle of it', async (test) => {
    const { clock, engine, secrets, dir, masks, follower, run, kept, passing } = await world(test);
    secrets.values = ['correct-horse-battery'];
    const { target } = await run('a');
    const container = engine.container('a');
    follower.follow(target);
    container.print('correct-');
    await clock.advance(100);
    container.print('horse-');
    await passing(async () => (await kept()).length === 2);
    await follower.close();
    const logs = await openWorkloadLogs({ dir, clock, log: recordingLog() });
    const again = openFollower({ engine, logs, masks, clock, log: recordingLog() });
    test.after(() => again.close());
    await clock.advance(1_000);
    container.print('battery!');
    assert.deepEqual(await again.last(target, 10), ['***', '***', '***!']);
  });

  it('hides in the last lines also what has become secret since', async (test) => {
    const { engine, secrets, follower, run, until } = await world(test);
    const { target } = await run('a');
    follower.follow(target);
    for (const line of ['is correct-', 'horse-', 'battery']) engine.container('a').print(line);
    await until(3);
    secrets.values = ['correct-horse-battery'];
    assert.deepEqual(await follower.last(target, 2), ['***', '***']);
  });

  it('takes what is left when it is told to stop', async (test) => {
    const { engine, follower, passing, run, kept } = await world(test);
    const [a, b] = [await run('a'), await run('b')];
    follower.follow(a.target);
    follower.follow(b.target);
    engine.container('a').print('last words');
    engine.container('a').exit(0);
    await follower.stop('rep_a');
    assert.deepEqual(await kept(), ['rep_a last words']);
    let stopped = false;
    void follower.stop('rep_b').then(() => (stopped = true));
    await passing(() => stopped);
    engine.container('b').print('not followed any more');
    await follower.stop('rep_c');
    assert.equal((await kept()).length, 1);
  });

  it('ends at once when it is closed, also while it waits for the engine', async (test) => {
    const { engine, follower, run, kept } = await world(test);
    const [a, b] = [await run('a'), await run('b')];
    engine.down();
    follower.follow(a.target);
    await new Promise(setImmediate);
    engine.up();
    follower.follow(b.target);
    await follower.close();
    follower.follow(a.target);
    engine.container('a').print('nobody listens');
    await new Promise(setImmediate);
    assert.deepEqual(await kept(), []);
  });
});
