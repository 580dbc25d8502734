/** A private engine: its life beside the control plane, and beside another Docker on the same host. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ManagedEngine } from '../../../controllers/engine/managed.ts';
import { openEngine } from '../../../controllers/engine/open.ts';
import { succeeds } from '../../../controllers/engine/managed/run.ts';
import { systemClock } from '../../../controllers/runtime/system-clock.ts';
import { ensureBaseImage } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { inNetworkNamespace, Outside } from '../../support/network-namespace.ts';
import { installPackage } from '../../support/packages.ts';
import { PlainEngine } from '../../support/plain-engine.ts';
import { processesWith } from '../../support/processes.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { Workloads } from '../../support/workload.ts';

const exec = promisify(execFile);
const log = recordingLog();
const dirs = (root: string) => ({ dataDir: join(root, 'data'), runDir: join(root, 'run') });
const create = (root: string) => new ManagedEngine({ ...dirs(root), clock: systemClock, log });
const pidOf = ({ place }: ManagedEngine) => Number(readFileSync(place.pidFile, 'utf8'));
const ask = (address: string, port = 8080) => `nc -w 1 ${address} ${port} < /dev/null || echo "no answer"`;

inNetworkNamespace(import.meta.url, () => {
  before(async () => {
    if (!(await succeeds('ip', ['-V']))) await installPackage('iproute2');
  });

  describe('a private engine', () => {
    const root = temporaryDirectory();
    const managed = create(root);
    const { engine, place } = managed;
    const workloads = new Workloads(engine);

    it('lives on when the process that started it is killed, and is adopted by the next', async () => {
      const main = fileURLToPath(new URL('../../support/private-engine-main.ts', import.meta.url));
      const first = spawn(process.execPath, [main, place.dataDir, place.runDir], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(first.stdout, 'data');
      const pid = pidOf(managed);
      first.kill('SIGKILL');
      await once(first, 'exit');
      await managed.start();
      assert.equal(pidOf(managed), pid);
      assert.equal((await engine.info()).builder, 'buildkit');
    });

    it('keeps its workloads running when it dies, and is started again', async () => {
      await ensureBaseImage(place.endpoint);
      const network = await workloads.network();
      const id = await workloads.start('echo up; exec sleep 1000', {
        name: network.name,
        address: `${network.range}.2`,
      });
      await eventually(async () => (await workloads.printed(id)).length > 0);
      const running = await engine.inspectReplica(id);
      const pid = pidOf(managed);
      process.kill(pid, 'SIGKILL');
      await eventually(() =>
        engine.info().then(
          () => pidOf(managed) !== pid,
          () => false,
        ),
      );
      assert.deepEqual(await engine.inspectReplica(id), running);
      assert.deepEqual(await workloads.printed(id), ['up']);
      await engine.stopReplica(id, 0);
      assert.equal((await engine.inspectReplica(id))?.state, 'exited');
    });

    it('is what the node keeps to once it has one, even if another answers', async () => {
      const other = new PlainEngine(join(temporaryDirectory(), 'other'));
      await other.start();
      const env = { DOCKER_HOST: other.endpoint };
      const places = { setting: undefined, env, clock: systemClock, log };
      const chosen = await openEngine({ ...places, ...dirs(root) });
      chosen.managed?.release();
      const fresh = await openEngine({ ...places, ...dirs(temporaryDirectory()) });
      await other.stop();
      assert.equal(chosen.engine.endpoint, place.endpoint);
      assert.equal(fresh.engine.endpoint, other.endpoint);
      assert.equal(fresh.managed, undefined);
    });

    it('leaves nothing but its data when it is stopped', async () => {
      const network = await workloads.network();
      const nap = `3000.${process.pid}`;
      await workloads.start(`exec sleep ${nap}`, { name: network.name, address: `${network.range}.2` });
      await managed.stop();
      assert.deepEqual(await processesWith(nap), []);
      assert.deepEqual(await processesWith(`--pidfile=${place.pidFile}`), []);
      assert.doesNotMatch((await exec('ip', ['link'])).stdout, /svc/);
      assert.doesNotMatch((await exec('iptables-save')).stdout, /svc/i);
      const controllers = readdirSync('/sys/fs/cgroup');
      for (const name of controllers)
        assert.ok(!readdirIfThere(join('/sys/fs/cgroup', name)).includes(place.cgroupParent));
      await managed.start();
      assert.ok(await engine.findImage('busybox:latest'));
      await workloads.close();
      await managed.stop();
    });

    it('says where to look when it does not start', async () => {
      const broken = temporaryDirectory();
      mkdirSync(dirs(broken).dataDir);
      writeFileSync(join(dirs(broken).dataDir, 'root'), 'a file where a directory should be');
      const other = create(broken);
      await assert.rejects(other.start(), { code: 'unavailable', message: /see .*dockerd\.log/ });
      assert.match(readFileSync(other.place.logFile, 'utf8'), /root/);
      await other.stop();
    });
  });

  describe('a private engine beside another Docker', () => {
    const root = temporaryDirectory();
    const neighbour = new PlainEngine(join(temporaryDirectory(), 'plain'));
    const managed = create(root);
    const workloads = new Workloads(managed.engine);
    let outside: Outside;
    let firewall: string;
    const networks: { name: string; range: string }[] = [];
    let last = 10;
    const place = (index: 0 | 1) => {
      const { name = '', range = '' } = networks[index] ?? {};
      return { name, address: `${range}.${last++}` };
    };

    before(async () => {
      outside = await Outside.create();
      outside.start('busybox', 'nc', '-ll', '-p', '9000', '-e', 'echo', 'hello');
      await neighbour.start();
      await neighbour.publish(18_080);
      firewall = await neighboursRules();
      await managed.start();
      await ensureBaseImage(managed.place.endpoint);
      networks.push(await workloads.network(), await workloads.network());
    });
    after(async () => {
      await workloads.close();
      await managed.stop();
      await neighbour.stop();
      outside.close();
    });

    const neighboursRules = async () =>
      (await exec('iptables-save')).stdout
        .split('\n')
        .filter((line) => !/svc/i.test(line) && /DOCKER|docker0/.test(line))
        .map((line) => line.replace(/\[\d+:\d+\]/, ''))
        .join('\n');

    const published = async () => (await (await fetch('http://198.51.100.1:18080/')).text()).trim();

    /** What must hold for our workloads, whatever the neighbour does. */
    async function works(): Promise<void> {
      const [here, there] = [place(0), place(1)];
      const ids = [await workloads.serve(here), await workloads.serve(there)];
      assert.equal(await neighbour.run(`(${ask(here.address)}) 2>/dev/null`), 'no answer');
      const neighbours = await neighbour.address();
      const asked = [ask(here.address), ask('198.51.100.2', 9000), ask(there.address), ask(neighbours, 80)];
      const printed = await workloads.run(`(${asked.join('; ')}) 2>/dev/null`, place(0));
      assert.deepEqual(printed, ['hello', 'hello', 'no answer', 'no answer']);
      for (const id of ids) await managed.engine.removeReplica(id);
    }

    it('leaves the rules and the published ports of the other as they are', async () => {
      assert.equal(await neighboursRules(), firewall);
      assert.equal(await published(), 'neighbour');
    });

    it('connects a project and the outside, and neither another project nor the neighbour', works);

    it('goes on when the other is restarted and sets its rules anew', async () => {
      await neighbour.stop();
      await neighbour.start();
      await works();
      await eventually(() =>
        published().then(
          (text) => text === 'neighbour',
          () => false,
        ),
      );
    });

    it('lets nobody in from outside', async () => {
      const here = place(0);
      const id = await workloads.serve(here);
      await outside.run('ip', 'route', 'add', `${here.address}/32`, 'via', '198.51.100.1');
      const answer = await outside.run('sh', '-c', `busybox ${ask(here.address)} 2>/dev/null`);
      assert.equal(answer.trim(), 'no answer');
      await managed.engine.removeReplica(id);
    });

    it('gives builds a network of their own, with a way out', async () => {
      const lines: string[] = [];
      const build = (address: string, port: number) =>
        managed.engine.build({
          context: Workloads.context(`FROM busybox\nRUN (${ask(address, port)}) 2>/dev/null`),
          dockerfile: 'Dockerfile',
          tag: 'svc/way-out:a',
          labels: {},
          cacheScope: '',
          limits: { memoryBytes: 64 * 2 ** 20, cpus: 1 },
          onLine: ({ line }) => void lines.push(line),
          signal: new AbortController().signal,
        });
      await build('198.51.100.2', 9000);
      assert.ok(lines.includes('hello'), lines.join('\n'));
      const here = place(0);
      const id = await workloads.serve(here);
      await build(here.address, 8080);
      assert.ok(lines.includes('no answer'), lines.join('\n'));
      await managed.engine.removeReplica(id);
    });
  });
});

function readdirIfThere(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
