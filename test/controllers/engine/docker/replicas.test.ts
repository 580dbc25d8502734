/** What a workload can do and cannot, seen from inside one, on a real engine. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import Docker from 'dockerode';
import { DockerEngine } from '../../../../controllers/engine/docker.ts';
import { systemClock } from '../../../../controllers/runtime/system-clock.ts';
import { ensureBaseImage, startTestEngine, type TestEngine } from '../../../support/engine.ts';
import { eventually } from '../../../support/eventually.ts';
import { limitsOf, processesWith } from '../../../support/processes.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { Workloads } from '../../../support/workload.ts';

let testEngine: TestEngine;
let engine: DockerEngine;
let workloads: Workloads;
let network: { name: string; range: string };
let other: { name: string; range: string };
let last = 1;
const place = (on = network) => ({ name: on.name, address: `${on.range}.${++last}` });

before(async () => {
  testEngine = await startTestEngine();
  await ensureBaseImage(testEngine.endpoint);
  engine = new DockerEngine({ endpoint: testEngine.endpoint, clock: systemClock });
  workloads = new Workloads(engine);
  network = await workloads.network();
  other = await workloads.network();
});
after(async () => {
  await workloads.close();
  await testEngine.stop();
});

describe('a workload', () => {
  it('has few rights: its capabilities, no new ones, and the seccomp filter', async () => {
    const printed = await workloads.run(
      'grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status',
      place(),
    );
    // CHOWN 0, DAC_OVERRIDE 1, FOWNER 3, FSETID 4, KILL 5, SETGID 6, SETUID 7, NET_BIND_SERVICE 10: bits of 0x4fb.
    assert.deepEqual(
      printed.map((line) => line.replaceAll('\t', ' ')),
      ['CapEff: 00000000000004fb', 'CapBnd: 00000000000004fb', 'NoNewPrivs: 1', 'Seccomp: 2'],
    );
  });

  it('has an init above it that reaps and passes on signals', async () => {
    const [init] = await workloads.run('cat /proc/1/comm', place());
    assert.match(init ?? '', /init|tini|catatonit/);
  });

  it('has its limits of memory, processors and processes', async () => {
    const nap = `2000.${process.pid}`;
    const id = await workloads.start(`sleep ${nap}`, place());
    await eventually(async () => (await processesWith(nap)).length > 0);
    const [pid = 0] = await processesWith(nap);
    assert.deepEqual(await limitsOf(pid), { memoryBytes: 64 * 2 ** 20, cpus: 0.5 });
    const { HostConfig } = await new Docker({ socketPath: testEngine.endpoint.slice(7) })
      .getContainer(id)
      .inspect();
    assert.equal(HostConfig.MemorySwap, HostConfig.Memory);
    const printed = await workloads.run('(for i in $(seq 100); do sleep 3 & done) 2>&1; echo end', place());
    assert.ok(
      printed.some((line) => /can't fork|Resource temporarily/i.test(line)),
      printed.slice(0, 3).join('\n'),
    );
  });

  it('has bounded output at the engine', async () => {
    const id = await workloads.start('sleep 1000', place());
    const { HostConfig } = await new Docker({ socketPath: testEngine.endpoint.slice(7) })
      .getContainer(id)
      .inspect();
    assert.deepEqual(HostConfig.LogConfig, {
      Type: 'json-file',
      Config: { 'max-size': '10m', 'max-file': '2' },
    });
  });

  it('publishes nothing and is never restarted by the engine', async () => {
    const id = await workloads.start('sleep 1000', place());
    const { HostConfig, NetworkSettings } = await new Docker({ socketPath: testEngine.endpoint.slice(7) })
      .getContainer(id)
      .inspect();
    assert.deepEqual(Object.values(NetworkSettings.Ports).filter(Boolean), []);
    assert.equal(HostConfig.RestartPolicy?.Name, 'no');
    assert.equal(HostConfig.Privileged, false);
    assert.deepEqual(Object.keys(NetworkSettings.Networks), [network.name]);
  });

  it('sees its environment and writes into the directory that it owns', async () => {
    const source = join(temporaryDirectory(), 'owned');
    mkdirSync(source);
    const printed = await workloads.run('echo "$GREETING"; echo written > /owned/file', place(), {
      env: { GREETING: 'hello  $HOME "world"' },
      mounts: [{ source, target: '/owned' }],
    });
    assert.deepEqual(printed, ['hello  $HOME "world"']);
    assert.equal(readFileSync(join(source, 'file'), 'utf8'), 'written\n');
  });

  it('is refused a directory that is not there, and none is made', async () => {
    const source = join(temporaryDirectory(), 'missing');
    await assert.rejects(workloads.create('true', place(), { mounts: [{ source, target: '/owned' }] }), {
      code: 'refused',
    });
    assert.throws(() => readFileSync(source), { code: 'ENOENT' });
  });

  it('ends with 127 when its command is not there: the init reports that, not the engine', async () => {
    const id = await workloads.start('exec /no/such/program', place());
    await eventually(async () => (await engine.inspectReplica(id))?.state === 'exited');
    assert.equal((await engine.inspectReplica(id))?.exit?.code, 127);
  });
});

describe('the network of a workload', () => {
  const ask = (address: string, port = 8080) => `nc -w 2 ${address} ${port} < /dev/null || echo "no answer"`;

  it('reaches others of its project, by address and by name', async () => {
    const at = place();
    const id = await workloads.serve(at);
    const name = (await engine.inspectReplica(id))?.name ?? '';
    assert.deepEqual(await workloads.run(`${ask(at.address)}; ${ask(name)}`, place()), ['hello', 'hello']);
  });

  it('does not reach another project, neither by address nor by name', async () => {
    const at = place(other);
    const id = await workloads.serve(at);
    const name = (await engine.inspectReplica(id))?.name ?? '';
    const printed = await workloads.run(`(${ask(at.address)}; ${ask(name)}) 2>/dev/null`, place());
    assert.deepEqual(printed, ['no answer', 'no answer']);
  });

  it('does not reach what listens on the loopback address of the host', async () => {
    const server = createServer((socket) => socket.end('secret\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const hosts = ['127.0.0.1', `${network.range}.1`];
    const printed = await workloads.run(
      `(${hosts.map((host) => ask(host, port)).join('; ')}) 2>/dev/null`,
      place(),
    );
    server.close();
    assert.deepEqual(printed, ['no answer', 'no answer']);
  });
});

describe('the output of a workload', () => {
  it('comes whole: long lines, both streams, in order, at times that only grow', async () => {
    const script = `head -c 50000 /dev/zero | tr '\\0' x; echo; echo err >&2; printf 'no end'`;
    const id = await workloads.start(script, place());
    await eventually(async () => (await engine.inspectReplica(id))?.state === 'exited');
    const { signal } = new AbortController();
    const lines = await Array.fromAsync(engine.replicaLogs(id, { follow: true, signal }));
    const told = lines.map(({ stream, line }) => [stream, line.length > 100 ? line.length : line]);
    assert.deepEqual(new Set(told.map(String)), new Set(['stdout,50000', 'stderr,err', 'stdout,no end']));
    const [first] = lines;
    assert.match(first?.at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
  });

  it('that a run left without a line end is a line of its own, also once it runs again', async () => {
    const id = await workloads.start(`echo begin; printf 'last words'; exit 1`, place());
    const ended = async (exits: number) => {
      await eventually(async () => (await engine.inspectReplica(id))?.state === 'exited');
      const lines = await Array.fromAsync(engine.replicaLogs(id, { follow: false, signal }));
      assert.deepEqual(
        lines.map(({ line }) => line),
        Array.from({ length: exits }, () => ['begin', 'last words']).flat(),
      );
    };
    const { signal } = new AbortController();
    await ended(1);
    await engine.startReplica(id);
    await ended(2);
  });

  it('holds the workload up as long as somebody takes it who takes no more', async () => {
    // Busybox's shell becomes `yes` without a name of its own.
    const script = `exec yes flood.${process.pid}`;
    const id = await workloads.start(script, place());
    const written = async (): Promise<number> => {
      const counts = (await processesWith(script)).map(
        (pid) => /^wchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1],
      );
      // Its init has the same argument, and writes nothing.
      return Math.max(0, ...counts.map(Number));
    };
    const advances = async (): Promise<boolean> => {
      const before = await written();
      await setTimeout(500);
      return (await written()) > before;
    };
    await eventually(advances);
    const hangup = new AbortController();
    const output = engine.replicaOutput(id, hangup.signal)[Symbol.asyncIterator]();
    const { value } = await output.next();
    assert.ok(String(value).includes(`flood.${process.pid}\n`));
    await eventually(async () => !(await advances()));
    hangup.abort();
    await eventually(advances);
    await engine.removeReplica(id);
  });

  it('can be followed on where it was left, without a gap', async () => {
    const id = await workloads.start('for i in $(seq 300); do echo $i; done; sleep 1000', place());
    const seen: string[] = [];
    let since: string | undefined;
    let at = new Set<string>();
    while (seen.length < 300) {
      const stop = new AbortController();
      let count = 0;
      const from = since === undefined ? {} : { since };
      for await (const line of engine.replicaLogs(id, { ...from, follow: true, signal: stop.signal })) {
        // Lines of the last time seen come again.
        if (line.at === since && at.has(line.line)) continue;
        if (line.at !== since) at = new Set();
        since = line.at;
        at.add(line.line);
        seen.push(line.line);
        if (++count === 70 || seen.length === 300) stop.abort();
        if (stop.signal.aborted) break;
      }
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 300 }, (_, index) => String(index + 1)),
    );
  });
});
