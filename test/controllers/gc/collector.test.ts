import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createCollector } from '../../../controllers/gc/collector.ts';
import { filesBelow } from '../../../controllers/gc/files.ts';
import { gcReconciler } from '../../../controllers/gc/reconcile.ts';
import { notingTags, openTagNotes } from '../../../controllers/engine/tags.ts';
import { imageTag, jobImageTag } from '../../../controllers/engine/names.ts';
import { openDeploymentLogs } from '../../../controllers/logs/deployment-logs.ts';
import { openRunLogs } from '../../../controllers/logs/run-logs.ts';
import { openWorkloadLogs } from '../../../controllers/logs/workload-logs.ts';
import { openUploads } from '../../../controllers/build/uploads.ts';
import type { NewEvent } from '../../../specs/event.ts';
import type { Disk } from '../../../specs/gc.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { aDeployment, anId, aProject, aService, memoryStore } from '../../support/store.ts';

const nodeId = 'node';
const labels = { 'svc.node': nodeId };
const { signal } = new AbortController();
const ageMs = 3_600_000;

async function world(t: TestContext, isPrivateEngine = false) {
  const clock = new ManualClock();
  const engine = new FakeEngine(clock);
  const store = await memoryStore([aProject(), aService(), aDeployment()], clock);
  const dir = await mkdtemp(join(tmpdir(), 'svc-gc-'));
  const log = recordingLog();
  const at = (name: string) => join(dir, name);
  const deploymentLogs = await openDeploymentLogs({ dir: at('deployments'), clock, log });
  const runLogs = await openRunLogs({ dir: at('runs'), clock, log });
  const workloadLogs = await openWorkloadLogs({ dir: at('workloads'), clock, log });
  const uploads = await openUploads({ dir: at('uploads') });
  const files = filesBelow({
    ...{ uploads: at('uploads'), clones: at('git'), deploymentLogs: at('deployments') },
    ...{ runLogs: at('runs'), workloadLogs: at('workloads') },
  });
  const tagNotes = await openTagNotes(at('tags'));
  const told: NewEvent[] = [];
  const events = { record: (event: NewEvent) => void told.push(event) };
  const full: Disk = {
    ...{ path: dir, holds: ['data'], free_bytes: 10, total_bytes: 100, floor_bytes: 5 },
  };
  const disks = () => Promise.resolve([full]);
  const collector = createCollector({
    ...{ store, engine, nodeId, clock, log, files, uploads, deploymentLogs, runLogs, workloadLogs },
    ...{ isPrivateEngine, disks, ageMs, tagNotes, events },
  });
  t.after(async () => {
    for (const each of [deploymentLogs, runLogs, workloadLogs, store]) await each.close();
    await rm(dir, { recursive: true });
  });
  const own = notingTags(engine, tagNotes);
  return {
    clock,
    engine,
    own,
    tagNotes,
    told,
    store,
    at,
    log,
    collector,
    disk: full,
    pass: gcReconciler({ collector, disks }),
  };
}

const gone = imageTag(aDeployment({ id: anId('deployment', 2) }));

describe('a pass of its own accord', () => {
  it('takes nothing that it sees for the first time, and what it has seen for long enough', async (t) => {
    const { engine, clock, pass } = await world(t);
    engine.addImage(gone, {}, labels);
    engine.addImage('svc/of:another', {}, { 'svc.node': 'other' });
    await pass('all', { signal });
    await clock.advance(ageMs - 1);
    await pass('all', { signal });
    assert.deepEqual(engine.tags(), [gone, 'svc/of:another'].sort());
    await clock.advance(1);
    await pass('all', { signal });
    assert.deepEqual(engine.tags(), ['svc/of:another']);
  });

  it('counts anew when something was needed in between', async (t) => {
    const { engine, clock, store, pass } = await world(t);
    engine.addImage(gone, {}, labels);
    await pass('all', { signal });
    await clock.advance(ageMs);
    const row = aDeployment({ id: anId('deployment', 2), name: '2' });
    await store.write((writer) => writer.create('Deployment', row));
    await pass('all', { signal });
    await store.write((writer) => writer.purge('Deployment', row.id));
    await pass('all', { signal });
    assert.ok(engine.tags().includes(gone));
  });

  it('does not wait while a disk is below its floor, and comes again soon', async (t) => {
    const { engine, disk, log, pass } = await world(t);
    engine.addImage(gone, {}, labels);
    disk.free_bytes = 1;
    assert.deepEqual(await pass('all', { signal }), { requeueAfter: 60_000 });
    assert.deepEqual(engine.tags(), [gone], 'nothing at the first look');
    await pass('all', { signal });
    assert.deepEqual(engine.tags(), []);
    assert.ok(log.lines.some(({ message }) => message === 'garbage was collected'));
    disk.free_bytes = 10;
    assert.equal(await pass('all', { signal }), undefined);
  });

  it('rejects while the engine is away, and forgets nothing', async (t) => {
    const { engine, clock, pass } = await world(t);
    engine.addImage(gone, {}, labels);
    await pass('all', { signal });
    await clock.advance(ageMs);
    engine.down();
    await assert.rejects(pass('all', { signal }), { code: 'unavailable' });
    engine.up();
    await pass('all', { signal });
    assert.deepEqual(engine.tags(), []);
  });
});

describe('a request', () => {
  it('takes at once what a dry run has listed, with the bytes that it has named', async (t) => {
    const { engine, collector } = await world(t);
    engine.addImage(gone, {}, labels);
    await engine.ensureNetwork({ name: 'svc-gone', subnet: '10.1.2.0/24', labels });
    await engine.ensureVolume({ name: 'svc-data', labels });
    const planned = await collector.onRequest(true);
    assert.deepEqual(
      planned.items.map(({ kind, name, action, removed }) => [kind, name, action, removed]),
      [
        ['image', gone, 'remove', false],
        ['volume', 'svc-data', 'report', false],
        ['network', 'svc-gone', 'remove', false],
      ],
    );
    assert.deepEqual([planned.bytes_would_free, planned.bytes_freed], [engine.usage.imageBytes, 0]);
    assert.deepEqual(engine.tags(), [gone]);
    assert.equal(collector.wouldFree(), engine.usage.imageBytes);

    const done = await collector.onRequest(false);
    assert.equal(done.bytes_freed, planned.bytes_would_free);
    assert.deepEqual([engine.tags(), engine.networkNames()], [[], []]);
    assert.equal((await engine.listVolumes({})).length, 1);
    assert.equal(collector.wouldFree(), 0);
  });

  it('leaves what is in use, says so, and goes on', async (t) => {
    const { engine, collector } = await world(t);
    const image = engine.addImage('svc/gone:used', {}, labels);
    engine.addImage('svc/gone:unused', {}, labels);
    const network = { name: 'svc-gone', subnet: '10.1.2.0/24', labels };
    await engine.ensureNetwork(network);
    const container = await engine.createReplica({
      ...{ name: 'c', image, env: {}, labels, mounts: [], limits: { memoryBytes: 1, cpus: 1, pids: 1 } },
      network: { name: network.name, address: '10.1.2.2' },
    });
    await engine.startReplica(container);
    const { items, bytes_freed: freed } = await collector.onRequest(false);
    const left = items.filter(({ removed }) => !removed);
    assert.deepEqual(left.map(({ name }) => name).sort(), ['svc-gone', 'svc/gone:used']);
    assert.ok(left.every(({ error }) => error?.includes('in use')));
    assert.equal(freed, engine.usage.imageBytes);
    await engine.removeReplica(container);
    await collector.onRequest(false);
    assert.deepEqual([engine.networkNames(), engine.tags()], [[], []]);
  });

  it('does without figures where the engine has none', async (t) => {
    const { engine, collector } = await world(t);
    engine.addImage(gone, {}, labels);
    engine.inject('diskUsage', 'unavailable');
    assert.deepEqual(
      (await collector.onRequest(true)).items.map(({ bytes }) => bytes),
      [null],
    );
  });

  it('prunes the build cache of an engine of its own, and of no other', async (t) => {
    for (const isPrivate of [true, false]) {
      const { engine, collector, clock } = await world(t, isPrivate);
      const lastUsedAt = new Date(clock.now() - 2 * ageMs).toISOString();
      engine.usage.cache = [{ bytes: 5, isNeeded: false, lastUsedAt }];
      const { items, bytes_freed: freed } = await collector.onRequest(false);
      assert.deepEqual([items[0]?.removed, freed], [isPrivate, isPrivate ? 5 : 0]);
      assert.equal(engine.usage.cache.length, isPrivate ? 0 : 1);
    }
  });

  it('takes logs, uploads and clones whose rows are gone, and no file that is none of ours', async (t) => {
    const { at, clock, collector } = await world(t);
    const [kept, other] = [aDeployment().id, anId('deployment', 2)];
    const paths = [
      `deployments/${kept}.ndjson`,
      `deployments/${other}.ndjson`,
      `runs/${anId('run', 1)}.ndjson`,
      `uploads/${anId('upload', 1)}.tar.zst`,
      `uploads/${anId('upload', 2)}.tar.zst.part`,
      `git/${other}/repository/HEAD`,
      'git/notes',
    ];
    const old = clock.now() / 1000 - 3600;
    for (const path of paths) {
      await mkdir(join(at(path), '..'), { recursive: true });
      await writeFile(at(path), Buffer.alloc(8192, 1));
      await utimes(at(path), old, old);
    }
    await utimes(at(`git/${other}`), old, old);
    const { items, bytes_freed: freed } = await collector.onRequest(false);
    assert.deepEqual(items.map(({ kind }) => kind).sort(), [
      'deployment-log',
      'git-clone',
      'run-log',
      'upload',
    ]);
    assert.ok(items.every(({ removed }) => removed) && freed >= 4 * 8192);
    assert.deepEqual((await collector.onRequest(true)).items, []);
    const left = await Promise.all(
      paths.map((path) =>
        writeFile(at(path), '', { flag: 'r+' }).then(
          () => path,
          () => '',
        ),
      ),
    );
    assert.deepEqual(
      left.filter((path) => path !== ''),
      [paths[0], paths[4], paths[6]],
    );
  });
});

describe('an image that was pulled', () => {
  it('goes once its row is gone, and is left to whoever else has tagged it', async (t) => {
    const { engine, own, tagNotes, collector, told } = await world(t);
    const job = jobImageTag(anId('job', 1));
    const lost = engine.addImage('busybox:pulled');
    await own.tagImage(lost, job);
    await engine.removeImage('busybox:pulled');
    const shared = engine.addImage('busybox:1');
    await own.tagImage(shared, gone);
    // As another node at the same engine does.
    const theirs = imageTag(aDeployment({ id: anId('deployment', 9) }));
    engine.addImage(theirs);

    const planned = await collector.onRequest(true);
    assert.deepEqual(new Set(planned.items.map(({ name }) => name)), new Set([job, gone]));
    assert.equal(planned.bytes_would_free, engine.usage.imageBytes);
    const done = await collector.onRequest(false);
    assert.equal(done.bytes_freed, planned.bytes_would_free);
    assert.deepEqual(engine.tags(), ['busybox:1', theirs].sort());
    assert.deepEqual(await tagNotes.list(), []);
    assert.deepEqual(
      told.map(({ kind, reason, message }) => [kind, reason, message]),
      [['Node', 'GarbageCollected', 'Removed 2 images (10.0 MiB): somebody asked for it.']],
    );
  });

  it('is kept with its row, and the note of a tag that is gone for some time', async (t) => {
    const { clock, engine, own, tagNotes, collector, at } = await world(t);
    const kept = imageTag(aDeployment());
    await own.tagImage(engine.addImage('busybox:1'), kept);
    await assert.rejects(own.tagImage('sha256:none', gone), { code: 'not_found' });
    const noted = (tag: string, ms: number) =>
      utimes(at(`tags/${encodeURIComponent(tag)}`), ms / 1000, ms / 1000);
    for (const tag of [kept, gone]) await noted(tag, clock.now());
    await collector.onRequest(false);
    const names = async () => (await tagNotes.list()).map(({ tag }) => tag).sort();
    assert.deepEqual([engine.tags(), await names()], [['busybox:1', kept], [kept, gone].sort()]);
    for (const tag of [kept, gone]) await noted(tag, 0);
    await writeFile(at('tags/notes'), 'of somebody');
    await collector.onRequest(false);
    assert.deepEqual(await names(), [kept]);
  });
});
