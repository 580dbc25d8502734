/** A private engine that is killed, and a machine that loses everything but its disk: all serves again without a person. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { managedEngine } from '../../cli/daemon/engine.ts';
import { runDirOf } from '../../cli/daemon/directories.ts';
import { findDockerd } from '../../controllers/engine/managed/daemon.ts';
import { succeeds } from '../../controllers/engine/managed/run.ts';
import type { ManagedEngine } from '../../controllers/engine/managed.ts';
import { systemClock } from '../../controllers/runtime/system-clock.ts';
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import { app, serving, type App } from '../support/apps.ts';
import { ensureBaseImage } from '../support/engine.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { createService, deploymentsOf } from '../support/node-api.ts';
import { installPackage } from '../support/packages.ts';
import { cutPower } from '../support/power-cut.ts';
import { recordingLog } from '../support/recording-log.ts';

const host = 'lasting.demo.localhost';
let node: TestNode;
let managed: ManagedEngine;
let runDir: string;
let service: ServiceResource;
let lasting: App;

before(async () => {
  if ((await findDockerd()) === undefined) await installPackage('docker.io');
  if (!(await succeeds('ip', ['-V']))) await installPackage('iproute2');
  node = await startNode(['--engine', 'managed']);
  runDir = runDirOf((await readFile(join(node.dataDir, 'node.id'), 'utf8')).trim(), process.env);
  managed = managedEngine({ dataDir: node.dataDir, runDir, clock: systemClock, log: recordingLog() });
  await ensureBaseImage(managed.place.endpoint);
  service = await createService(node, { name: 'lasting', replicas: 2 });
  lasting = await app('demo/lasting', { Dockerfile: serving, 'www/index.html': 'one' });
  await must(node.svc(['push'], { cwd: lasting.dir }));
});

after(async () => {
  await node.kill('SIGTERM');
  await managed.stop();
  await node.stop();
  await lasting.remove();
});

beforeEach(() => servesAgain());

const servesAgain = () =>
  until('it serves', async () => (await node.get(host).catch(() => undefined))?.status === 200, 90_000);

async function promoted(): Promise<DeploymentResource> {
  const found = (await deploymentsOf(node, service)).find((deployment) => deployment.promoted);
  assert.ok(found);
  return found;
}

/** What must be the same after a fault as before: which replicas there are, of which deployment. */
async function shape(): Promise<unknown> {
  const { id, status, replicas } = await promoted();
  return { id, status, replicas: replicas.map((replica) => [replica.id, replica.phase]) };
}

const pid = async () => Number(await readFile(managed.place.pidFile, 'utf8').catch(() => '0'));

describe('a private engine that is killed', () => {
  it('is started again, while its workloads serve on', async () => {
    const before = await promoted();
    const killed = await pid();
    process.kill(killed, 'SIGKILL');
    const failed: unknown[] = [];
    await until(
      'it is back',
      async () => {
        const answer = await node.get(host).catch((error: unknown) => ({ status: String(error) }));
        if (answer.status !== 200) failed.push(answer.status);
        const now = await pid();
        return now !== 0 && now !== killed && (await fetch(`${node.apiUrl}/readyz`)).ok;
      },
      60_000,
    );
    assert.deepEqual(failed, []);
    assert.deepEqual((await promoted()).replicas, before.replicas);
  });

  it('goes on with what it was asked for', async () => {
    await lasting.write('www/index.html', 'two');
    await must(node.svc(['push', '--no-follow'], { cwd: lasting.dir }));
    process.kill(await pid(), 'SIGKILL');
    await until('the push serves', async () => (await node.get(host)).text === 'two', 90_000);
  });
});

describe('a machine that loses power', () => {
  it('serves what it served, once it is on again', async () => {
    await until('nothing is under way', async () => (await promoted()).replicas.length === 2);
    const before = await shape();
    await cutPower(node, managed, runDir);
    await assert.rejects(node.get(host));
    await node.start();
    await servesAgain();
    assert.equal((await node.get(host)).text, 'two');
    await until(
      'all is as it was',
      async () => JSON.stringify(await shape()) === JSON.stringify(before),
      60_000,
    );
  });

  it('goes on with a deployment that was under way', async () => {
    await lasting.write('www/index.html', 'three');
    await lasting.write('Dockerfile', serving.replace('COPY', 'RUN sleep 2\nCOPY'));
    await must(node.svc(['push', '--no-follow'], { cwd: lasting.dir }));
    await until(
      'it is being built',
      async () => (await deploymentsOf(node, service))[0]?.status === 'Building',
    );
    await cutPower(node, managed, runDir);
    await node.start();
    await until(
      'it serves',
      async () => (await node.get(host).catch(() => undefined))?.text === 'three',
      120_000,
    );
  });
});
