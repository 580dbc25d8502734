import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it, type TestContext } from 'node:test';
import { openDeploymentLogs, type DeploymentLogs } from '../../../controllers/logs/deployment-logs.ts';
import type { DeploymentLogEntry } from '../../../specs/log-entry.ts';
import { scratchDir, shell } from '../../support/archives.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';

const at = '2030-01-01T00:00:00.000Z';
const line = (text: string): DeploymentLogEntry => ({
  event: 'log',
  at,
  phase: 'build',
  stream: 'stdout',
  line: text,
});
const status: DeploymentLogEntry = {
  event: 'status',
  at,
  status: 'Failed',
  reason: 'BuildFailed',
  message: 'no',
};

async function open(test: TestContext, options: { maxBytes?: number; dir?: string } = {}) {
  const dir = options.dir ?? join(await scratchDir(test), 'logs');
  const log = recordingLog();
  return { dir, log, logs: await openDeploymentLogs({ clock: new ManualClock(), log, ...options, dir }) };
}

async function texts(logs: DeploymentLogs, id = 'dep_1', after = 0): Promise<string[]> {
  const found: string[] = [];
  for await (const { seq, entry } of logs.read(id, after))
    found.push(`${seq} ${entry.event === 'log' ? entry.line : entry.status}`);
  return found;
}

describe('deployment logs', () => {
  it('numbers entries from 1, in order, each deployment for itself', async (test) => {
    const { logs } = await open(test);
    logs.append('dep_1', line('one'));
    logs.append('dep_2', line('other'));
    logs.append('dep_1', line('two'));
    logs.append('dep_1', status);
    assert.deepEqual(await texts(logs), ['1 one', '2 two', '3 Failed']);
    assert.deepEqual(await texts(logs, 'dep_2'), ['1 other']);
    assert.deepEqual(await texts(logs, 'dep_3'), []);
  });

  it('gives entries back as they came, control bytes and all', async (test) => {
    const { logs } = await open(test);
    const odd = line('\u001b[31mred\u0000\u2028 \ud800 "quoted" \n');
    logs.append('dep_1', odd);
    assert.deepEqual((await logs.tail('dep_1', 1))[0], { seq: 1, entry: odd });
  });

  it('resumes after any number', async (test) => {
    const { logs } = await open(test);
    for (let n = 1; n <= 5000; n++) logs.append('dep_1', line('x'.repeat(n % 100)));
    for (const after of [0, 1, 2500, 4998, 4999])
      assert.equal((await texts(logs, 'dep_1', after)).length, 5000 - after);
    assert.deepEqual(await texts(logs, 'dep_1', 5000), []);
    assert.deepEqual(await texts(logs, 'dep_1', 1e9), []);
  });

  it('gives the last entries', async (test) => {
    const { logs } = await open(test);
    for (let n = 1; n <= 300; n++) logs.append('dep_1', line(`${n}`));
    assert.deepEqual(
      (await logs.tail('dep_1', 3)).map(({ seq }) => seq),
      [298, 299, 300],
    );
    assert.equal((await logs.tail('dep_1', 1000)).length, 300);
    assert.deepEqual([await logs.tail('dep_1', 0), await logs.tail('dep_2', 5)], [[], []]);
  });

  it('goes on after a restart where it ended, and drops a torn line', async (test) => {
    const { dir, logs } = await open(test);
    for (const text of ['one', 'two']) logs.append('dep_1', line(text));
    await logs.close();
    await appendFile(join(dir, 'dep_1.ndjson'), '{"seq":3,"entry":{"event":"lo');
    const again = (await open(test, { dir })).logs;
    assert.deepEqual(await texts(again), ['1 one', '2 two']);
    again.append('dep_1', line('three'));
    assert.deepEqual(await texts(again), ['1 one', '2 two', '3 three']);
  });

  it('tells listeners once an entry can be read, until they unsubscribe', async (test) => {
    const { logs } = await open(test);
    let told = 0;
    const stop = logs.onAppend('dep_1', () => told++);
    logs.append('dep_1', line('one'));
    logs.append('dep_2', line('other'));
    assert.equal(told, 0);
    await Promise.all([logs.flush('dep_1'), logs.flush('dep_2')]);
    assert.equal(told, 1);
    stop();
    logs.append('dep_1', line('two'));
    await logs.flush('dep_1');
    assert.equal(told, 1);
  });

  it('lets a follower see every entry exactly once while it is written', async (test) => {
    const { logs } = await open(test);
    const seen: number[] = [];
    let wake: () => void = () => undefined;
    logs.onAppend('dep_1', () => wake());
    const follow = async () => {
      while (seen.length < 500) {
        const woken = new Promise<void>((resolve) => (wake = resolve));
        const before = seen.length;
        for await (const { seq } of logs.read('dep_1', seen.at(-1) ?? 0)) seen.push(seq);
        if (seen.length === before) await woken;
      }
    };
    const following = follow();
    for (let n = 0; n < 500; n++) {
      logs.append('dep_1', line(`${n}`));
      if (n % 7 === 0) await new Promise(setImmediate);
    }
    await following;
    assert.deepEqual(
      seen,
      [...Array(500).keys()].map((n) => n + 1),
    );
  });

  it('cuts long lines', async (test) => {
    const { logs } = await open(test);
    logs.append('dep_1', line('x'.repeat(20_000)));
    assert.match((await texts(logs))[0] ?? '', /^1 x{16384}… \(cut, 3616 more bytes\)$/);
  });

  it('stops keeping output at its limit, says so once, and keeps changes of status', async (test) => {
    const { dir, logs } = await open(test, { maxBytes: 1000 });
    for (let n = 0; n < 100; n++) logs.append('dep_1', line(`line ${n}`));
    await logs.flush('dep_1');
    const { length } = await texts(logs);
    for (let n = 0; n < 100; n++) logs.append('dep_1', line('more'));
    logs.append('dep_1', status);
    const all = await texts(logs);
    assert.deepEqual(all.slice(length - 1), [
      `${length} The log is full: what follows is not kept.`,
      `${length + 1} Failed`,
    ]);
    const again = (await open(test, { dir, maxBytes: 1000 })).logs;
    again.append('dep_1', line('more'));
    again.append('dep_1', status);
    assert.deepEqual(await texts(again), [...all, `${length + 2} Failed`]);
    assert.ok((await stat(join(dir, 'dep_1.ndjson'))).size < 1600);
  });

  it('keeps files from others, and removes them', async (test) => {
    const { dir, logs } = await open(test);
    logs.append('dep_1', line('one'));
    await logs.flush('dep_1');
    assert.deepEqual(
      [(await stat(dir)).mode & 0o777, (await stat(join(dir, 'dep_1.ndjson'))).mode & 0o777],
      [0o700, 0o600],
    );
    logs.append('dep_1', line('two'));
    await logs.remove('dep_1');
    await logs.remove('dep_1');
    assert.deepEqual(await readdir(dir), []);
    logs.append('dep_1', line('anew'));
    assert.deepEqual(await texts(logs), ['1 anew']);
  });

  it('reports what cannot be written, and goes on when it can', async (test) => {
    const { dir, log, logs } = await open(test);
    logs.append('dep_1', line('one'));
    await logs.flush('dep_1');
    await rm(join(dir, 'dep_1.ndjson'));
    await mkdir(join(dir, 'dep_1.ndjson'));
    logs.append('dep_1', line('lost'));
    await assert.rejects(logs.flush('dep_1'), { code: 'EISDIR' });
    assert.deepEqual(
      log.lines.map(({ level, message }) => [level, message]),
      [['error', "a deployment's log cannot be written, lines of it are lost"]],
    );
    await rm(join(dir, 'dep_1.ndjson'), { recursive: true });
    logs.append('dep_1', line('back'));
    await logs.flush('dep_1');
    assert.equal((await logs.tail('dep_1', 1)).length, 1);
  });

  it('lets no line run into one that was written half when the disk was full', async (test) => {
    const dir = await scratchDir(test);
    const program = fileURLToPath(new URL('../../support/fill-log.ts', import.meta.url));
    const printed = await shell(`ulimit -f 16; '${process.execPath}' '${program}' '${dir}'`);
    const { whole, code } = JSON.parse(printed.toString()) as { whole: number; code: string };
    assert.equal(code, 'EFBIG');
    const lines = (await readFile(join(dir, 'dep_1.ndjson'), 'utf8')).trimEnd().split('\n');
    assert.deepEqual(
      lines.map((text) => (JSON.parse(text) as { seq: number }).seq),
      [...Array(whole + 1).keys()].map((n) => n + 1),
    );
    assert.match(lines.at(-1) ?? '', /"short"/);
  });
});
