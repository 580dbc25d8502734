/** Uploads over the wire to a real node: what is refused leaves nothing behind, and what passes costs no memory. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { zstdCompressSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import type { Problem } from '../../specs/problem.ts';
import type { ServiceResource } from '../../specs/resources.ts';
import { packTar, packUpload } from '../support/archives.ts';
import { ask, type Answer } from '../support/http-answer.ts';
import { startNode, until, type TestNode } from '../support/node.ts';
import { callApi, createService, tokenOf } from '../support/node-api.ts';

const corpora = new URL('../corpora/', import.meta.url);
const MiB = 2 ** 20;
/** Keeps connections, as clients do: one that is closed with its answer cuts off what is still being sent. */
const agent = new Agent({ keepAlive: true });
let node: TestNode;
let service: ServiceResource;
let token: string;

before(async () => {
  node = await startNode();
  service = await createService(node, { name: 'target' });
  token = await tokenOf(node);
});

after(() => {
  agent.destroy();
  return node.stop();
});

const options = (headers: Record<string, string> = {}) => ({
  agent,
  host: new URL(node.apiUrl).hostname,
  port: new URL(node.apiUrl).port,
  method: 'POST',
  path: `/v1/services/${service.id}/uploads`,
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/zstd', ...headers },
});

const send = (body: Buffer, headers?: Record<string, string>) => ask(options(headers), body);
const problemOf = ({ text }: Answer) => JSON.parse(text) as Problem;

/** Files and rows of uploads. */
async function staged(): Promise<{ files: string[]; rows: number }> {
  const database = new Sqlite(join(node.dataDir, 'svc.db'), { readonly: true });
  const { rows } = database.prepare('select count(*) as rows from upload').get() as { rows: number };
  database.close();
  return { files: await readdir(join(node.dataDir, 'uploads')), rows };
}

const nothing = { files: [], rows: 0 };

const simple = () =>
  packUpload([
    { name: 'Dockerfile', content: 'FROM busybox\n' },
    { name: 'noise', content: randomBytes(4 * MiB) },
  ]);

describe('an upload that is refused', () => {
  it('because it is hostile gets the reason, and leaves nothing behind', async () => {
    const crafted = new URL('tar/crafted/', corpora);
    const wanted = JSON.parse(await readFile(new URL('expect.json', crafted), 'utf8')) as Record<
      string,
      { expect: string }
    >;
    const hostile = Object.keys(wanted).filter((name) => wanted[name]?.expect === 'reject');
    assert.ok(hostile.length > 40);
    for (const name of hostile) {
      const answer = await send(zstdCompressSync(await readFile(new URL(name, crafted))));
      assert.ok([400, 413].includes(answer.status), `${name}: ${answer.text}`);
      assert.match(problemOf(answer).detail, /^The (archive|upload) .*\.$/, name);
    }
    assert.deepEqual(await staged(), nothing);
  });

  it('because it is damaged, a bomb or no archive at all', async () => {
    const cases: [string, number][] = [
      ['truncated.zst', 400],
      ['bitflip.zst', 400],
      ['badcksum.zst', 400],
      ['gzip-not-zstd.zst', 400],
      ['trailing-garbage.zst', 400],
      ['empty.zst', 400],
      ['window-2gb.zst', 413],
      ['rle-bomb-5gb.zst', 413],
    ];
    for (const [name, status] of cases) {
      const answer = await send(await readFile(new URL(`zstd/${name}`, corpora)));
      assert.equal(answer.status, status, `${name}: ${answer.text}`);
    }
    assert.deepEqual(await staged(), nothing);
  });

  it('because it is cut off, wherever', async () => {
    const body = await simple();
    for (const part of [0, 0.001, 0.5, 0.999]) {
      const answer = await send(body.subarray(0, Math.floor(body.length * part)));
      assert.equal(answer.status, 400, answer.text);
    }
    assert.deepEqual(await staged(), nothing);
  });

  it('is answered although the client still sends', async () => {
    const bad = await packTar([
      { name: '../evil', content: 'x' },
      { name: 'noise', content: randomBytes(32 * MiB) },
    ]);
    const answer = await send(zstdCompressSync(bad));
    assert.equal(answer.status, 400);
    assert.match(problemOf(answer).detail, /"\.\.\/evil"/);
    assert.deepEqual(await staged(), nothing);
  });

  it('because of who sends it, where to or as what', async () => {
    const body = await simple();
    assert.equal((await send(body, { authorization: 'Bearer nobody' })).status, 401);
    assert.equal((await send(body, { 'content-type': 'application/json' })).status, 400);
    const elsewhere = { ...options(), path: '/v1/services/svc_00000000000000000000000000/uploads' };
    assert.equal((await ask(elsewhere, body)).status, 404);
    assert.deepEqual(await staged(), nothing);
  });
});

describe('a client that goes away half-way', () => {
  for (const framing of ['content-length', 'transfer-encoding'] as const) {
    it(`leaves nothing behind (${framing})`, async () => {
      const body = await simple();
      const value = framing === 'content-length' ? String(body.length) : 'chunked';
      const asked = request({ ...options({ [framing]: value }), agent: false });
      const closed = new Promise((resolve) => asked.on('close', resolve));
      asked.on('error', () => undefined);
      asked.write(body.subarray(0, body.length / 2));
      await until('it is being received', async () => (await staged()).files.length === 1);
      asked.destroy();
      await closed;
      await until('it is gone', async () => (await staged()).files.length === 0);
      assert.deepEqual(await staged(), nothing);
    });
  }

  it('or dies with the node leaves nothing behind either', async () => {
    const body = await simple();
    const asked = request({ ...options(), agent: false });
    asked.on('error', () => undefined);
    asked.write(body.subarray(0, body.length / 2));
    await until('it is being received', async () => (await staged()).files.length === 1);
    await node.kill('SIGKILL');
    await node.start();
    assert.deepEqual(await staged(), nothing);
  });
});

describe('the memory of the node', () => {
  it('grows by less than 64 MiB while 2 GiB pass', async (test) => {
    const idle = await memory('VmRSS');
    // Sets the high-water mark back (proc(5)).
    await writeFile(`/proc/${node.pid()}/clear_refs`, '5');
    const { status, text } = await pass('2 GiB');
    const grown = (await memory('VmHWM')) - idle;
    assert.equal(status, 201, text);
    assert.equal((JSON.parse(text) as { unpacked_bytes: number }).unpacked_bytes, 2048 * MiB);
    assert.ok(grown < 64 * MiB, `it grew by ${Math.round(grown / MiB)} MiB`);
    test.diagnostic(`${Math.round(idle / MiB)} MiB and ${Math.round(grown / MiB)} more`);
  });

  it('is not what a bomb takes', async () => {
    const idle = await memory('VmRSS');
    await writeFile(`/proc/${node.pid()}/clear_refs`, '5');
    const { status, text } = await pass('bomb in a tar');
    assert.equal(status, 413, text);
    assert.ok((await memory('VmHWM')) - idle < 64 * MiB);
    assert.equal((await callApi(node, 'GET', '/v1/me')).status, 200);
  });
});

async function memory(field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${node.pid()}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}

/** Uploads what another process makes on the fly. @param kind of upload-source.ts */
async function pass(kind: string): Promise<Answer> {
  const source = fileURLToPath(new URL('../support/upload-source.ts', import.meta.url));
  const made = spawn(process.execPath, [source, kind], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    return await ask(options(), made.stdout);
  } finally {
    made.kill();
  }
}
