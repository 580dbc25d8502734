import assert from 'node:assert/strict';
import { appendFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { WorkloadLogQuery } from '../../../controllers/logs/select.ts';
import { openWorkloadLogs, type WorkloadLogs } from '../../../controllers/logs/workload-logs.ts';
import type { WorkloadLogLine } from '../../../specs/log-entry.ts';
import { scratchDir } from '../../support/archives.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';

const start = Date.UTC(2030, 0, 1);
const line = (text: string, replica = 'rep_1', ms = 0): WorkloadLogLine => ({
  at: new Date(start + ms).toISOString(),
  replica,
  stream: 'stdout',
  line: text,
});

async function open(
  test: TestContext,
  options: {
    dir?: string;
    clock?: ManualClock;
    segmentBytes?: number;
    serviceBytes?: number;
    keepMs?: number;
  } = {},
) {
  const dir = options.dir ?? join(await scratchDir(test), 'logs');
  const clock = options.clock ?? new ManualClock(start);
  return { dir, clock, logs: await openWorkloadLogs({ ...options, dir, clock, log: recordingLog() }) };
}

async function items(logs: WorkloadLogs, query: WorkloadLogQuery = {}, service = 'svc_1') {
  const found: [number, string][] = [];
  for await (const {
    seq,
    line: { line: text },
  } of logs.read(service, query))
    found.push([seq, text]);
  return found;
}

const texts = async (...args: Parameters<typeof items>) => (await items(...args)).map(([, text]) => text);

describe('workload logs', () => {
  it('numbers lines in microseconds, rising over the deployments of a service', async (test) => {
    const { clock, logs } = await open(test);
    logs.append('svc_1', 'dep_1', line('a'));
    logs.append('svc_1', 'dep_2', line('b', 'rep_2'));
    logs.append('svc_1', 'dep_1', line('c'));
    logs.append('svc_2', 'dep_9', line('other'));
    await logs.flush('svc_1');
    await clock.advance(5);
    logs.append('svc_1', 'dep_1', line('d'));
    const first = start * 1000;
    assert.deepEqual(await items(logs), [
      [first, 'a'],
      [first + 1, 'b'],
      [first + 2, 'c'],
      [first + 5000, 'd'],
    ]);
    assert.deepEqual(await texts(logs, {}, 'svc_2'), ['other']);
    assert.deepEqual(await texts(logs, {}, 'svc_3'), []);
  });

  it('goes on above what is there after a restart, even when the clock went back', async (test) => {
    const { dir, logs } = await open(test);
    logs.append('svc_1', 'dep_1', line('a'));
    logs.append('svc_1', 'dep_2', line('b', 'rep_2'));
    await logs.close();
    const again = (await open(test, { dir, clock: new ManualClock(start - 3_600_000) })).logs;
    again.append('svc_1', 'dep_1', line('c'));
    assert.deepEqual(await items(again), [
      [start * 1000, 'a'],
      [start * 1000 + 1, 'b'],
      [start * 1000 + 2, 'c'],
    ]);
  });

  it('drops a torn line', async (test) => {
    const { dir, logs } = await open(test);
    logs.append('svc_1', 'dep_1', line('a'));
    await logs.close();
    const folder = join(dir, 'svc_1/dep_1/rep_1');
    await appendFile(join(folder, (await readdir(folder))[0] ?? ''), '{"seq":99,"li');
    const again = (await open(test, { dir })).logs;
    again.append('svc_1', 'dep_1', line('b'));
    assert.deepEqual(await texts(again), ['a', 'b']);
  });

  it('resumes after a number', async (test) => {
    const { logs } = await open(test);
    for (let n = 0; n < 2000; n++) logs.append('svc_1', `dep_${n % 3}`, line(`${n}`, `rep_${n % 3}`));
    const first = start * 1000;
    for (const after of [0, first, first + 999, first + 1998]) {
      assert.equal((await items(logs, { after })).length, after === 0 ? 2000 : 1999 - (after - first));
    }
    assert.deepEqual(await items(logs, { after: first + 1999 }), []);
  });

  it('selects by time, replica and number of lines', async (test) => {
    const { clock, logs } = await open(test);
    for (let n = 0; n < 100; n++) {
      logs.append('svc_1', `dep_${n % 2}`, line(`${n}`, `rep_${n % 2}`, n * 60_000));
      await clock.advance(60_000);
    }
    const since = new Date(start + 97 * 60_000).toISOString();
    assert.deepEqual(await texts(logs, { since }), ['97', '98', '99']);
    assert.deepEqual(await texts(logs, { since, replica: 'rep_0' }), ['98']);
    assert.deepEqual(await texts(logs, { since, deployment: 'dep_1' }), ['97', '99']);
    assert.deepEqual(await texts(logs, { tail: 3 }), ['97', '98', '99']);
    assert.deepEqual(await texts(logs, { tail: 2, replica: 'rep_0' }), ['96', '98']);
    assert.deepEqual(
      await texts(logs, { tail: 55 }),
      [...Array(55).keys()].map((n) => `${n + 45}`),
    );
    assert.deepEqual(await texts(logs, { tail: 10, since }), ['97', '98', '99']);
    const [after] = (await items(logs, { tail: 2 }))[0] ?? [0];
    assert.deepEqual(await texts(logs, { tail: 10, after }), ['99']);
    assert.deepEqual(await texts(logs, { tail: 3, upTo: after }), ['96', '97', '98']);
    assert.deepEqual((await texts(logs, { upTo: after, since })).slice(-1), ['98']);
    assert.deepEqual([await texts(logs, { tail: 0 }), await texts(logs, { replica: 'rep_9' })], [[], []]);
  });

  it('rotates by size, and keeps so many bytes of a service', async (test) => {
    const { dir, logs } = await open(test, { segmentBytes: 1000, serviceBytes: 3000 });
    logs.begin({ serviceId: 'svc_1', deploymentId: 'dep_1', replica: 'rep_1' });
    logs.append('svc_1', 'dep_2', line('of one that has ended', 'rep_2', -1));
    for (let n = 0; n < 100; n++) {
      logs.append('svc_1', 'dep_1', line(`${n}`));
      await logs.flush('svc_1');
    }
    const folder = join(dir, 'svc_1/dep_1/rep_1');
    const sizes = await Promise.all(
      (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size),
    );
    assert.ok(sizes.length === 3 && sizes.every((size) => size < 1200), String(sizes));
    const all = await texts(logs);
    assert.deepEqual([all.length > 15 && all.length < 30, all.at(-1)], [true, '99']);
    assert.deepEqual(await readdir(join(dir, 'svc_1/dep_2')), []);
  });

  it('drops what is too old, but not the file of a replica that runs', async (test) => {
    const hour = 3_600_000;
    const { dir, clock, logs } = await open(test, { segmentBytes: 1, keepMs: hour });
    const origin = { serviceId: 'svc_1', deploymentId: 'dep_1', replica: 'rep_1' };
    logs.begin(origin);
    for (const text of ['old', 'newest']) {
      logs.append('svc_1', 'dep_1', line(text));
      await logs.flush('svc_1');
    }
    logs.append('svc_2', 'dep_2', line('of one that has ended'));
    await logs.flush('svc_2');
    await clock.advance(hour + 1);
    const again = (await open(test, { dir, clock, segmentBytes: 1, keepMs: hour })).logs;
    await logs.sweep();
    assert.deepEqual([await texts(logs), await texts(logs, {}, 'svc_2')], [['newest'], []]);
    await again.sweep();
    assert.deepEqual(await texts(again), []);
  });

  it('puts lines of several replicas into the order of their times, whenever they were copied', async (test) => {
    const { clock, logs } = await open(test);
    for (const ms of [1, 4, 5]) logs.append('svc_1', 'dep_1', line(`a${ms}`, 'rep_a', ms));
    await logs.flush('svc_1');
    await clock.advance(60_000);
    for (const ms of [2, 3, 5, 9]) logs.append('svc_1', 'dep_1', line(`b${ms}`, 'rep_b', ms));
    await logs.flush('svc_1');
    assert.deepEqual(await texts(logs), ['a1', 'b2', 'b3', 'a4', 'a5', 'b5', 'b9']);
    assert.deepEqual(await texts(logs, { tail: 4 }), ['a4', 'a5', 'b5', 'b9']);
    assert.deepEqual(await texts(logs, { after: 1 }), ['a1', 'a4', 'a5', 'b2', 'b3', 'b5', 'b9']);
  });

  it('waits a moment for a line of another replica that was printed before', async (test) => {
    const { clock, logs } = await open(test);
    const written: string[] = [];
    for (const replica of ['rep_a', 'rep_b'])
      logs.begin({ serviceId: 'svc_1', deploymentId: 'dep_1', replica });
    logs.append('svc_1', 'dep_1', line('second', 'rep_a', 2));
    await clock.advance(100);
    logs.append('svc_1', 'dep_1', line('first', 'rep_b', 1));
    assert.deepEqual(await texts(logs), []);
    await clock.advance(50);
    written.push(...(await texts(logs, { after: 1 })));
    assert.deepEqual(written, ['first', 'second']);
  });

  it('tells the runs of a replica apart by time, and reads the one before the present', async (test) => {
    const { dir, logs } = await open(test);
    const at = (ms: number) => new Date(start + ms).toISOString();
    const origin = { serviceId: 'svc_1', deploymentId: 'dep_1', replica: 'rep_1' };
    const run = (ms: number) => logs.begin({ ...origin, run: { run: at(ms), from: at(ms - 5) } });
    run(10);
    logs.append('svc_1', 'dep_1', line('first', 'rep_1', 11));
    assert.deepEqual(await texts(logs, { previous: true }), []);
    run(100);
    logs.append('svc_1', 'dep_1', line('last words of the first, copied late', 'rep_1', 50));
    logs.append('svc_1', 'dep_1', line('second, quicker than the engine', 'rep_1', 96));
    assert.deepEqual(await texts(logs, { previous: true }), [
      'first',
      'last words of the first, copied late',
    ]);
    run(200);
    run(200);
    logs.append('svc_1', 'dep_1', line('third', 'rep_1', 201));
    logs.append('svc_1', 'dep_1', line('never started again', 'rep_2', 97));
    const second = ['second, quicker than the engine'];
    assert.deepEqual(await texts(logs, { previous: true }), second);
    await logs.close();
    const again = (await open(test, { dir })).logs;
    again.begin({ ...origin, run: { run: at(200), from: at(200) } });
    await again.flush('svc_1');
    assert.deepEqual(await texts(again, { previous: true }), second);
    assert.deepEqual((await texts(again)).length, 5);
  });

  it('leads up to what is asked for with what each replica printed before', async (test) => {
    const { logs } = await open(test);
    for (let n = 0; n < 10; n++) logs.append('svc_1', 'dep_1', line(`${n}`, `rep_${n % 2}`, n));
    const found: string[] = [];
    for await (const { line: text, isLead } of logs.read('svc_1', { tail: 3, lead: 2 }))
      found.push(`${isLead ? 'lead ' : ''}${text.line}`);
    assert.deepEqual(found, ['lead 4', 'lead 6', 'lead 3', 'lead 5', '7', '8', '9']);
  });

  it('knows of which replicas something is kept, and the number of the last line', async (test) => {
    const { logs } = await open(test);
    assert.deepEqual([await logs.lastSeq('svc_1'), await logs.replicas('svc_1')], [0, []]);
    logs.append('svc_1', 'dep_1', line('a'));
    assert.equal(await logs.lastSeq('svc_1'), start * 1000);
    assert.deepEqual(await logs.replicas('svc_1'), [{ replica: 'rep_1', deployment: 'dep_1' }]);
  });

  it('lets a follower see every line exactly once while several deployments write', async (test) => {
    const { logs } = await open(test, { segmentBytes: 2000 });
    const seen: [number, string][] = [];
    let wake: () => void = () => undefined;
    logs.onAppend('svc_1', () => wake());
    const follow = async () => {
      while (seen.length < 600) {
        const woken = new Promise<void>((resolve) => (wake = resolve));
        const fresh = await items(logs, { after: seen.at(-1)?.[0] ?? 0 });
        seen.push(...fresh);
        if (fresh.length === 0) await woken;
      }
    };
    const following = follow();
    for (let n = 0; n < 600; n++) {
      logs.append('svc_1', `dep_${n % 4}`, line(`${n}`, `rep_${n % 4}`));
      if (n % 11 === 0) await new Promise(setImmediate);
    }
    await following;
    assert.deepEqual(
      seen.map(([, text]) => text),
      [...Array(600).keys()].map(String),
    );
  });

  it('knows where the output of a replica was left', async (test) => {
    const { dir, logs } = await open(test);
    assert.equal(await logs.lastAt('svc_1', 'dep_1', 'rep_1'), undefined);
    logs.append('svc_1', 'dep_1', line('a', 'rep_1', 1));
    logs.append('svc_1', 'dep_1', line('b', 'rep_1', 2));
    logs.append('svc_1', 'dep_1', line('"replica":"rep_1"', 'rep_2', 9));
    logs.append('svc_1', 'dep_1', line('c', 'rep_1', 2));
    for (let n = 0; n < 100; n++) logs.append('svc_1', 'dep_1', line('"replica":"rep_1"', 'rep_2', 10));
    const left = { at: line('', '', 2).at, count: 2, lead: line('', '', 1).at };
    assert.deepEqual(await logs.lastAt('svc_1', 'dep_1', 'rep_1'), left);
    await logs.close();
    const again = (await open(test, { dir })).logs;
    assert.deepEqual(await again.lastAt('svc_1', 'dep_1', 'rep_1'), left);
    assert.equal(await again.lastAt('svc_1', 'dep_1', 'rep_3'), undefined);
  });

  it('cuts long lines, and removes the logs of a deployment', async (test) => {
    const { dir, logs } = await open(test);
    logs.append('svc_1', 'dep_1', line('x'.repeat(17_000)));
    logs.append('svc_1', 'dep_2', line('kept', 'rep_2', 1));
    assert.match((await texts(logs))[0] ?? '', /^x{16384}… \(cut, 616 more bytes\)$/);
    await logs.remove('svc_1', 'dep_1');
    await logs.remove('svc_1', 'dep_9');
    assert.deepEqual([await texts(logs), await readdir(join(dir, 'svc_1'))], [['kept'], ['dep_2']]);
  });

  it('removes all that is kept of a service, and what waited to be written', async (test) => {
    const { dir, logs } = await open(test);
    logs.append('svc_1', 'dep_1', line('gone'));
    logs.append('svc_2', 'dep_2', line('kept'));
    await logs.removeAll('svc_1');
    await logs.removeAll('svc_1');
    assert.deepEqual(await texts(logs), []);
    assert.deepEqual(await texts(logs, {}, 'svc_2'), ['kept']);
    assert.deepEqual(await readdir(dir), ['svc_2']);
  });
});
