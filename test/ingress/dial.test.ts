import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { admit, dial, UnreachedError, type Upstream } from '../../ingress/index.ts';
import { freePort } from '../support/free-port.ts';
import { runBridge, stalledWorkload, tcpWorkload } from './support/bridges.ts';
import { listenOn } from './support/replicas.ts';
import { sandbox } from './support/sandbox.ts';

interface Place {
  own: string;
  other: string;
  upstream: Upstream;
}

/** A replica's directory, and a socket elsewhere that it must not lead to. */
async function place(t: TestContext): Promise<Place> {
  const { runDir } = await sandbox(t);
  await mkdir(join(runDir, 'r'));
  const [own, other] = [join(runDir, 'r/svc.sock'), join(runDir, 'other.sock')];
  await greeter(t, other, 'secret');
  return { own, other, upstream: { socket: own, via: 'direct' } };
}

async function greeter(t: TestContext, path: string, says: string): Promise<void> {
  const server = createServer((socket) => socket.end(says));
  await listenOn(server, path);
  t.after(() => server.close());
}

async function heard(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

test('reaches the socket that the workload made', async (t) => {
  const { own, upstream } = await place(t);
  await greeter(t, own, 'hello');
  assert.equal(await heard(await dial(upstream)), 'hello');
});

test('reaches what the node made itself', async (t) => {
  const { other } = await place(t);
  assert.equal(await heard(await dial({ socket: other, via: 'node' })), 'secret');
});

describe('behind the bridge', () => {
  /** A replica behind a bridge, and what it does with its connections. */
  async function bridged(t: TestContext, onSocket: (socket: Socket) => void): Promise<Upstream> {
    const bridge = await runBridge(t, (await sandbox(t)).runDir);
    const { port } = await tcpWorkload(t, onSocket);
    await bridge.route({ r: port });
    return bridge.upstream('r');
  }

  test('one that speaks first is heard from its first byte on', async (t) => {
    const upstream = await bridged(t, (socket) => socket.end('hello'));
    assert.equal(await heard(await dial(upstream)), 'hello');
  });

  test('one that says nothing is there, and gets every byte', async (t) => {
    const upstream = await bridged(t, (socket) => socket.pipe(socket));
    const socket = await dial(upstream);
    socket.write('echo');
    const [echoed] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    assert.equal(String(echoed), 'echo');
  });

  test('one that refuses is an error that says so', async (t) => {
    const bridge = await runBridge(t, (await sandbox(t)).runDir);
    await bridge.route({ r: await freePort() });
    await assert.rejects(dial(bridge.upstream('r')), (error) => {
      assert.ok(error instanceof UnreachedError);
      return error.why === 'refused';
    });
  });

  test('one whose host answers nothing is given up after a second', async (t) => {
    const bridge = await runBridge(t, (await sandbox(t)).runDir);
    const { port } = await stalledWorkload(t);
    await bridge.route({ r: port });
    await assert.rejects(dial(bridge.upstream('r')), { why: 'silent' });
  });

  test('a bridge that goes away meanwhile is an error, and no wait', async (t) => {
    const { runDir } = await sandbox(t);
    const upstream = { socket: join(runDir, 'r.sock'), via: 'bridged' } as const;
    const server = createServer((socket) => socket.destroy());
    await listenOn(server, join(runDir, 'r.ack.sock'));
    t.after(() => server.close());
    await assert.rejects(dial(upstream), { why: 'lost' });
  });

  test('who waits no longer gets an error, and what was opened is closed', async (t) => {
    const { runDir } = await sandbox(t);
    const upstream = { socket: join(runDir, 'r.sock'), via: 'bridged' } as const;
    const accepted = Promise.withResolvers<Socket>();
    const server = createServer((socket) => accepted.resolve(socket));
    await listenOn(server, join(runDir, 'r.ack.sock'));
    t.after(() => server.close());
    const waiting = new AbortController();
    const refused = assert.rejects(dial(upstream, waiting.signal), /waits for it/);
    const socket = await accepted.promise;
    waiting.abort();
    await refused;
    await once(socket.resume(), 'close');
    await assert.rejects(dial(upstream, waiting.signal), { name: 'AbortError' });
  });

  test('of an earlier release it says nothing, and nothing is waited for', async (t) => {
    const { other } = await place(t);
    assert.equal(await heard(await dial({ socket: other, via: 'bridged' })), 'secret');
  });
});

const planted: [what: string, code: string, plant: (place: Place) => Promise<void>][] = [
  ['nothing', 'ENOENT', () => Promise.resolve()],
  ['a link to another socket', 'ENOTSOCK', ({ own, other }) => symlink(other, own)],
  ['a link to itself', 'ENOTSOCK', ({ own }) => symlink(own, own)],
  ['a file', 'ENOTSOCK', ({ own }) => writeFile(own, '')],
  ['a directory', 'ENOTSOCK', ({ own }) => mkdir(own).then()],
  ['a pipe', 'ENOTSOCK', ({ own }) => Promise.resolve(void execFileSync('mkfifo', [own]))],
  [
    'behind a directory that is a link',
    'ENOTDIR',
    async ({ own }) => {
      const directory = join(own, '..');
      await rename(directory, `${directory}.moved`);
      await symlink(`${directory}.moved`, directory);
    },
  ],
];

for (const [what, code, plant] of planted) {
  test(`${what}: neither dialed nor admitted`, async (t) => {
    const at = await place(t);
    await plant(at);
    const mode = (await stat(at.other)).mode;
    await chmod(at.other, 0o600);
    await assert.rejects(dial(at.upstream), { code });
    await assert.rejects(admit(at.upstream), { code });
    assert.equal((await stat(at.other)).mode & 0o777, 0o600);
    await chmod(at.other, mode);
  });
}

test('a socket that nobody listens on is an error', async (t) => {
  const { own, upstream } = await place(t);
  const server = createServer();
  await listenOn(server, `${own}.listening`);
  await rename(`${own}.listening`, own);
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(dial(upstream), { code: 'ECONNREFUSED' });
});

test('admit lets everybody connect who can pass the directory', async (t) => {
  const { own, upstream } = await place(t);
  await greeter(t, own, 'hello');
  await chmod(own, 0o755);
  await admit(upstream);
  assert.equal((await stat(own)).mode & 0o777, 0o666);
});

test('no file stays open', async (t) => {
  const { own, other, upstream } = await place(t);
  await symlink(other, own);
  const count = (): number =>
    Number(execFileSync('sh', ['-c', `ls /proc/${process.pid}/fd | wc -l`]).toString());
  const before = count();
  for (let i = 0; i < 50; i += 1) await assert.rejects(dial(upstream));
  // Fewer is fine: what an earlier test left may be closed by now.
  assert.ok(count() <= before, `${count()} files are open, ${before} were`);
});
