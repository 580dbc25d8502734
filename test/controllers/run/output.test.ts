import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { openRunOutput, type RunOutput } from '../../../controllers/run/output.ts';
import { openRunLogs, type RunLogs } from '../../../controllers/logs/run-logs.ts';
import type { RunLogEntry } from '../../../specs/log-entry.ts';
import { createMasks } from '../../../specs/mask.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const run = 'run_1';

interface Scene {
  clock: ManualClock;
  engine: FakeEngine;
  logs: RunLogs;
  output: RunOutput;
  /** Of a control plane that starts, with the same engine and the same files. */
  restart: () => Promise<void>;
  /** Starts a container and follows it. */
  begin: (number: number) => Promise<string>;
  lines: () => Promise<string[]>;
}

async function aScene(
  t: TestContext,
  { maxBytes, secrets = [] }: { maxBytes?: number; secrets?: readonly string[] } = {},
): Promise<Scene> {
  const clock = new ManualClock();
  const engine = new FakeEngine(clock);
  const dir = temporaryDirectory();
  const image = engine.addImage('busybox:1', {});
  await engine.ensureNetwork({ name: 'n', subnet: '10.210.0.0/24', labels: {} });
  const open = async () => {
    const logs = await openRunLogs({
      dir,
      clock,
      log: recordingLog(),
      ...(maxBytes === undefined ? {} : { maxBytes }),
    });
    const masks = createMasks(() => secrets);
    return { logs, output: openRunOutput({ engine, logs, masks, clock, log: recordingLog() }) };
  };
  const scene: Scene = {
    ...{ clock, engine, ...(await open()) },
    async restart() {
      await scene.output.close();
      await scene.logs.close();
      Object.assign(scene, await open());
    },
    async begin(number) {
      const container = await engine.createReplica({
        ...{ name: `try-${number}`, image, env: {}, labels: {}, mounts: [] },
        ...{
          limits: { memoryBytes: 1, cpus: 1, pids: 1 },
          network: { name: 'n', address: `10.210.0.${number + 1}` },
        },
      });
      await engine.startReplica(container);
      scene.output.follow({ run, project: 'prj', number, container });
      return container;
    },
    async lines() {
      const found: string[] = [];
      for await (const { entry } of scene.logs.read(run, 0)) found.push(wordsOf(entry));
      return found;
    },
  };
  t.after(() => scene.output.close());
  return scene;
}

function wordsOf(entry: RunLogEntry): string {
  return entry.event === 'log' ? `${entry.try} ${entry.stream} ${entry.line}` : entry.message;
}

describe('the output of a run', () => {
  it('is kept try by try, without secrets', async (t) => {
    const scene = await aScene(t, { secrets: ['hunter2hunter2'] });
    await scene.begin(1);
    scene.engine.container('try-1').print('the key is hunter2hunter2');
    scene.engine.container('try-1').print('oh', 'stderr');
    scene.engine.container('try-1').exit(1);
    await scene.output.drain(run);
    await scene.begin(2);
    scene.engine.container('try-2').print('again');
    scene.engine.container('try-2').exit(0);
    await scene.output.drain(run);
    assert.deepEqual(await scene.lines(), ['1 stdout the key is ***', '1 stderr oh', '2 stdout again']);
  });

  it('goes on after a restart of the node where it was left: nothing is lost, nothing comes twice', async (t) => {
    const scene = await aScene(t);
    const container = await scene.begin(1);
    const { engine } = scene;
    for (const line of ['a', 'b', 'b']) engine.container('try-1').print(line);
    await eventually(async () => (await scene.lines()).length === 3);
    await scene.restart();
    engine.container('try-1').print('c');
    scene.output.follow({ run, project: 'prj', number: 1, container });
    await eventually(async () => (await scene.lines()).length === 4);
    engine.container('try-1').exit(0);
    await scene.output.drain(run);
    assert.deepEqual(await scene.lines(), ['1 stdout a', '1 stdout b', '1 stdout b', '1 stdout c']);
  });

  it('is whole, also where its last words have no line end', async (t) => {
    const scene = await aScene(t);
    await scene.begin(1);
    const container = scene.engine.container('try-1');
    container.print('reading');
    await eventually(async () => (await scene.lines()).length === 1);
    container.breakOff('no such table', 1);
    await scene.output.drain(run);
    assert.deepEqual(await scene.lines(), ['1 stdout reading', '1 stdout no such table']);
  });

  it('is followed again when the engine comes back', async (t) => {
    const scene = await aScene(t);
    await scene.begin(1);
    const { engine, clock } = scene;
    engine.container('try-1').print('before');
    await eventually(async () => (await scene.lines()).length === 1);
    engine.down();
    engine.container('try-1').print('meanwhile');
    await eventually(() => clock.pending > 0);
    engine.up();
    await clock.advance(1_000);
    await eventually(async () => (await scene.lines()).length === 2);
    assert.deepEqual(await scene.lines(), ['1 stdout before', '1 stdout meanwhile']);
  });

  it('that is a flood is slowed down, also when its log is full', async (t) => {
    const scene = await aScene(t, { maxBytes: 2 ** 20 });
    await scene.begin(1);
    const container = scene.engine.container('try-1');
    for (let n = 0; n < 12_000; n++) container.print('x'.repeat(1_024));
    await eventually(() => scene.logs.isFull(run));
    await eventually(() => container.isAttached);
    await scene.clock.advance(20_000);
    assert.ok(!container.isAttached, 'it prints no more');
    await scene.output.drain(run);
  });

  it('is bounded, says so, and is read no further than that', async (t) => {
    const scene = await aScene(t, { maxBytes: 2 ** 20 });
    await scene.begin(1);
    const container = scene.engine.container('try-1');
    for (let n = 0; n < 2_000; n++) container.print('x'.repeat(1_024));
    await eventually(() => scene.logs.isFull(run));
    await scene.output.drain(run);
    assert.ok(!container.isAttached);
    const lines = await scene.lines();
    assert.equal(lines.at(-1), '1 stderr The log is full: what follows is not kept.');
    assert.ok(lines.length < 1_100, `${lines.length} lines`);
  });
});
