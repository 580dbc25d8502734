import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openFollower } from '../../../controllers/logs/follow.ts';
import { openWorkloadLogs, type WorkloadLogs } from '../../../controllers/logs/workload-logs.ts';
import { createMasks } from '../../../specs/mask.ts';
import { scratchDir } from '../../support/archives.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';

const serviceId = 'svc_1';
const text = 'x'.repeat(1_000);

/** A container, a follower over logs on disk, and another one for after a restart of the node. */
async function world(test: TestContext) {
  const clock = new ManualClock();
  const engine = new FakeEngine(clock);
  const dir = join(await scratchDir(test), 'logs');
  const open = async () => {
    const log = recordingLog();
    const logs = await openWorkloadLogs({ dir, clock, log });
    const follower = openFollower({ engine, logs, masks: createMasks(() => []), clock, log });
    test.after(() => follower.close());
    return { logs, follower };
  };
  const image = engine.addImage('app');
  await engine.ensureNetwork({ name: 'net', subnet: '10.0.0.0/24', labels: {} });
  const container = await engine.createReplica({
    ...{ name: 'a', image, env: {}, labels: {}, mounts: [] },
    network: { name: 'net', address: '10.0.0.3' },
    limits: { memoryBytes: 2 ** 29, cpus: 1, pids: 512 },
  });
  await engine.startReplica(container);
  const target = { replica: 'rep_a', container, projectId: 'prj_1', serviceId, deploymentId: 'dep_1' };
  return { clock, workload: engine.container('a'), target, open };
}

async function kept(logs: WorkloadLogs): Promise<string[]> {
  return Array.fromAsync(logs.read(serviceId, {}), ({ line }) => line.line);
}

describe('a follower in a flood', () => {
  it('keeps the beginning and the end of it, and says how much is missing', async (test) => {
    const { workload, target, open } = await world(test);
    const { logs, follower } = await open();
    for (let n = 0; n < 20_000; n++) workload.print(`${n} ${text}`);
    workload.exit(1);
    const last = await follower.last(target, 2);
    assert.deepEqual(
      last.map((line) => line.split(' ')[0]),
      ['19998', '19999'],
    );
    const lines = await kept(logs);
    assert.ok(lines.length > 5_000 && lines.length < 10_000, `${lines.length}`);
    const notice = lines.findIndex((line) => line.includes(' dropped: '));
    assert.equal(lines[notice - 1]?.split(' ')[0], `${notice - 1}`);
    const missing = Number(/at least (\d+) lines/.exec(lines[notice] ?? '')?.[1]);
    assert.equal(lines.length - 1 + missing, 20_000);
  });

  it('goes on after a restart of the node with what comes, and not with what it left out', async (test) => {
    const { clock, workload, target, open } = await world(test);
    const first = await open();
    for (let n = 0; n < 12_000; n++) workload.print(`${n} ${text}`);
    await first.follower.last(target, 1);
    const before = await kept(first.logs);
    await first.follower.close();
    await first.logs.close();
    const { logs, follower } = await open();
    await clock.advance(1);
    workload.print('later');
    assert.deepEqual(await follower.last(target, 1), ['later']);
    assert.deepEqual(await kept(logs), [...before, 'later']);
  });

  it('lets the engine wait, not the node, and takes the rest up by and by', async (test) => {
    const { clock, workload, target, open } = await world(test);
    const { logs, follower } = await open();
    follower.follow(target);
    for (let n = 0; n < 12_000; n++) workload.print(`${n} ${text}`);
    workload.print('the last');
    // It is slowed down.
    await eventually(() => workload.isAttached);
    const isThrough = async () => (await kept(logs)).at(-1) === 'the last';
    for (let tries = 0; tries < 200 && !(await isThrough()); tries++) await clock.advance(250);
    assert.ok(await isThrough());
    assert.ok(clock.now() > Date.UTC(2030, 0, 1) + 500, 'it took its time');
    await clock.advance(20_000);
    assert.ok(!workload.isAttached, 'and is let go');
  });
});
