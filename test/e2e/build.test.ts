/** Builds at a real engine: their log while it happens and long after, their end when they are called off, their limits. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { uploadOf } from '../../specs/deployment.ts';
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import { app, type App } from '../support/apps.ts';
import { ensureBaseImage, startPrivateEngine } from '../support/engine.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { callApi, createService, deploymentOf, deploymentsOf, fromApi } from '../support/node-api.ts';
import { streamLog } from '../support/node-events.ts';
import { limitsOf, processesWith } from '../support/processes.ts';

let engine: Awaited<ReturnType<typeof startPrivateEngine>>;
let node: TestNode;
const services: Record<string, ServiceResource> = {};
const apps: Record<string, App> = {};

before(async () => {
  // An engine of its own: its cap on builds is one for all nodes, and the nodes of other tests would lift it.
  engine = await startPrivateEngine();
  const { endpoint } = engine.managed.place;
  await ensureBaseImage(endpoint);
  node = await startNode(['--engine', endpoint]);
  for (const name of ['built', 'other', 'parts']) {
    services[name] = await createService(node, { name });
    apps[name] = await app(`demo/${name}`, { 'www/index.html': name });
  }
});

after(async () => {
  await node.stop();
  await engine.remove();
  await Promise.all(Object.values(apps).map((made) => made.remove()));
});

/**
 * A Dockerfile with a command that is never in the builder's cache.
 * @param command gets a number that no other process of this machine has among its arguments
 */
function running(command: (mark: string) => string): { dockerfile: string; mark: string } {
  const mark = String(randomInt(1e8, 1e9));
  const run = `RUN : ${mark}; ${command(mark)}`;
  const serve = 'CMD ["sh", "-c", "echo up and running; exec httpd -f -p $PORT -h /www"]';
  return { mark, dockerfile: ['FROM busybox AS tools', run, 'COPY www /www', serve, ''].join('\n') };
}

/** Runs until {@link goOn}. */
const waiting = () => running((mark) => `echo begun; sleep ${mark} || echo went on`);
const quick = () => running(() => 'true').dockerfile;

/** Waits until the command of a build runs. @returns its pid */
function runs(mark: string, but?: number): Promise<number> {
  return until('its command runs', async () => (await processesWith(mark)).find((pid) => pid !== but));
}

/** Ends the wait of a build's command. */
async function goOn(mark: string): Promise<void> {
  process.kill(await runs(mark), 'SIGKILL');
}

/** Pushes and leaves. @returns the deployment's id */
async function start(name: string, dockerfile: string): Promise<string> {
  await apps[name]?.write('Dockerfile', dockerfile);
  const { stdout } = await must(node.svc(['push', '--no-follow'], { cwd: apps[name]?.dir ?? '' }));
  return stdout.trim();
}

function reached(id: string, ...states: string[]): Promise<DeploymentResource> {
  return until(`${id} is ${states.join(' or ')}`, async () => {
    const deployment = await deploymentOf(node, id);
    return states.includes(deployment.status) && deployment;
  });
}

const text = async (id: string) => (await callApi(node, 'GET', `/v1/deployments/${id}/logs`)).text;
const staged = () => readdir(join(node.dataDir, 'uploads'));

describe('the log of a build', () => {
  let id: string;
  let whole: string;

  it('comes line by line while it happens, with its stages', async () => {
    const { dockerfile, mark } = waiting();
    id = await start('built', dockerfile);
    const stream = await streamLog(node, id);
    const lines = () => stream.events().flatMap(({ data }) => data.line ?? []);
    await until('the first line is here', () => Promise.resolve(lines().includes('begun')));
    assert.equal((await deploymentOf(node, id)).status, 'Building');
    await goOn(mark);
    await stream.ended;
    assert.ok(lines().includes('went on'));
    assert.ok(
      lines().some((line) => /^\[(tools )?\d\/\d\] RUN : /.test(line)),
      lines().join('\n'),
    );
    assert.ok(lines().some((line) => /^\[(tools )?\d\/\d\] COPY www \/www/.test(line)));
    const events = stream.events();
    assert.deepEqual(
      events
        .flatMap(({ event, data }) => (event === 'status' ? [data.status] : []))
        .filter((status, index, all) => status !== all[index - 1]),
      ['Building', 'Starting', 'Healthy'],
    );
    assert.deepEqual(events.at(-1), { id: undefined, event: 'end', data: { status: 'Healthy' } });
  });

  it('goes on exactly where a client left off', async () => {
    const all = await streamLog(node, id);
    await all.ended;
    const events = all.events();
    const ids = events.flatMap((event) => event.id ?? []);
    assert.deepEqual(
      ids,
      [...new Set(ids)].sort((a, b) => a - b),
    );
    for (const last of [ids[0], ids[Math.floor(ids.length / 2)], ids.at(-1)]) {
      const rest = await streamLog(node, id, last);
      await rest.ended;
      assert.deepEqual(rest.events(), events.slice(events.findIndex((event) => event.id === last) + 1));
    }
  });

  it('is there as text', async () => {
    const answer = await callApi(node, 'GET', `/v1/deployments/${id}/logs`);
    assert.match(String(answer.headers['content-type']), /^text\/plain/);
    assert.match(answer.text, /\nbegun\n(Killed\n)?went on\n/);
    assert.match(answer.text, /Healthy/);
    whole = answer.text;
  });

  it('outlives container, stop, newer deployments and the control plane', async () => {
    const before = (await must(node.svc(['logs', 'demo/built']))).stdout;
    assert.match(before, /up and running/);
    const next = await start('built', quick());
    await reached(next, 'Healthy');
    await must(node.svc(['stop', 'demo/built']));
    await node.kill('SIGKILL');
    await node.start();
    const now = await text(id);
    assert.equal(now.slice(0, whole.length), whole);
    assert.match((await must(node.svc(['logs', 'demo/built']))).stdout, /up and running/);
  });

  it('is followed by a push to its end, although the control plane is killed meanwhile', async () => {
    const { dockerfile, mark } = waiting();
    await apps['built']?.write('Dockerfile', dockerfile);
    const pushing = node.svc(['push'], { cwd: apps['built']?.dir ?? '' });
    const before = await runs(mark);
    await node.kill('SIGKILL');
    await node.start();
    process.kill(await runs(mark, before), 'SIGKILL');
    const { code, stdout, stderr } = await pushing;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /begun/);
    assert.match(stdout, /Healthy/);
  });

  it('leaves no upload behind, neither file nor row', async () => {
    await until('the upload is gone', async () => (await staged()).length === 0);
    const { source } = await deploymentOf(node, id);
    const body = { service_id: services['built']?.id, upload_id: uploadOf(source)?.upload_id };
    const again = await callApi(node, 'POST', '/v1/deployments', body);
    assert.equal(again.status, 422, again.text);
  });
});

describe('a build that is not to go on', () => {
  it('ends when it is cancelled, at the engine too', async () => {
    const { dockerfile, mark } = waiting();
    const id = await start('built', dockerfile);
    await runs(mark);
    await fromApi(node, 'POST', `/v1/deployments/${id}/stop`, {});
    const { reason } = await reached(id, 'Stopped');
    assert.equal(reason, 'Cancelled');
    await until('its process is gone', async () => (await processesWith(mark)).length === 0, 10_000);
    await until('its upload is gone', async () => (await staged()).length === 0);
    assert.match(await text(id), /begun/);
  });

  it('ends when a newer one is pushed, which does not wait for it', async () => {
    const old = waiting();
    const first = await start('built', old.dockerfile);
    await runs(old.mark);
    const second = await start('built', quick());
    await reached(second, 'Healthy');
    const { status, reason } = await deploymentOf(node, first);
    assert.deepEqual([status, reason], ['Stopped', 'Superseded']);
    assert.deepEqual(await processesWith(old.mark), []);
  });

  it('ends with its service', async () => {
    const { dockerfile, mark } = waiting();
    const id = await start('other', dockerfile);
    await runs(mark);
    await must(node.svc(['stop', 'demo/other']));
    assert.equal((await reached(id, 'Stopped')).reason, 'Cancelled');
    await until('its process is gone', async () => (await processesWith(mark)).length === 0, 10_000);
  });
});

describe('builds', () => {
  it('run one after the other, within their limits', async () => {
    const [one, two] = [waiting(), waiting()];
    const first = await start('built', one.dockerfile);
    const second = await start('other', two.dockerfile);
    assert.deepEqual(await limitsOf(await runs(one.mark)), {
      memoryBytes: pageRounded(totalmem() / 2),
      cpus: Math.max(1, availableParallelism() * 0.75),
    });
    assert.equal((await deploymentOf(node, second)).status, 'Pending');
    assert.deepEqual(await processesWith(two.mark), []);
    await goOn(one.mark);
    await runs(two.mark);
    assert.deepEqual(await processesWith(one.mark), []);
    await goOn(two.mark);
    for (const id of [first, second]) await reached(id, 'Healthy');
  });

  it('see the folder that is their context, and may have their Dockerfile elsewhere', async () => {
    const parts = appOf('parts');
    await parts.write('site/www/index.html', 'of the site');
    await parts.write('secret.txt', 'not in the context');
    const dockerfile =
      'FROM busybox\nCOPY . /seen\nRUN ls /seen\nCOPY www /www\nCMD ["sh", "-c", "exec httpd -f -p $PORT -h /www"]\n';
    await parts.write('deploy/web.Dockerfile', dockerfile);
    await parts.write(
      '.svc',
      'project = "demo"\nservice = "parts"\ncontext = "site"\ndockerfile = "deploy/web.Dockerfile"\n',
    );
    const { stdout } = await must(node.svc(['push'], { cwd: parts.dir }));
    assert.doesNotMatch(stdout, /secret\.txt|index\.html/);
    assert.equal((await node.get('parts.demo.localhost')).text, 'of the site');

    // Flags win over the manifest.
    await parts.write(
      'site/Dockerfile',
      dockerfile.replace('/www\nCMD', '/www\nRUN echo and changed >> /www/index.html\nCMD'),
    );
    await must(node.svc(['push', '--dockerfile', 'site/Dockerfile'], { cwd: parts.dir }));
    assert.match((await node.get('parts.demo.localhost')).text, /and changed/);
    const [newest] = await deploymentsOf(node, services['parts'] ?? { id: '' });
    assert.deepEqual(
      [newest && uploadOf(newest.source)?.context_path, newest && uploadOf(newest.source)?.dockerfile_path],
      ['site', 'site/Dockerfile'],
    );
  });
});

function appOf(name: string): App {
  const made = apps[name];
  assert.ok(made, `no app ${name}`);
  return made;
}

/** The kernel keeps limits in whole pages. */
function pageRounded(bytes: number): number {
  return Math.floor(bytes / 4096) * 4096;
}
