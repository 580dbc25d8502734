/** An engine that goes silent or away: deadlines end in a verdict all the same, and what serves goes on serving. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ServiceResource } from '../../specs/resources.ts';
import { app, serving, type App } from '../support/apps.ts';
import { startTestEngine, type TestEngine } from '../support/engine.ts';
import { startEngineProxy, type EngineProxy } from '../support/engine-proxy.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { containersOf, createService, deploymentOf, deploymentsOf } from '../support/node-api.ts';

const host = 'away.demo.localhost';
const mute = 'FROM busybox\nCMD ["sh", "-c", "echo I say nothing; exec sleep 1000"]\n';
let engine: TestEngine;
let proxy: EngineProxy;
let node: TestNode;
let away: App;
let service: ServiceResource;

before(async () => {
  engine = await startTestEngine();
  proxy = await startEngineProxy(engine.endpoint);
  node = await startNode(['--engine', proxy.endpoint]);
  service = await createService(node, { name: 'away', health: { deadline: '5s' } });
  away = await app('demo/away', { Dockerfile: serving, 'www/index.html': 'here' });
  await must(node.svc(['push'], { cwd: away.dir }));
});

after(async () => {
  await node.stop();
  await proxy.close();
  await away.remove();
  await engine.stop();
});

async function push(dockerfile: string): Promise<string> {
  await away.write('Dockerfile', dockerfile);
  return (await must(node.svc(['push', '--no-follow'], { cwd: away.dir }))).stdout.trim();
}

const engineState = async () => (await node.svc(['node', 'status'])).stdout;

describe('while a deployment starts', () => {
  for (const trouble of ['goes silent', 'goes away'] as const) {
    it(`an engine that ${trouble} does not keep the gate from its verdict`, async () => {
      const id = await push(mute);
      await until('it runs', async () => {
        const [replica] = (await deploymentOf(node, id)).replicas;
        return replica !== undefined && replica.started_at !== null;
      });
      if (trouble === 'goes silent') proxy.hang();
      else await proxy.leave();
      const failed = await until('there is a verdict', async () => {
        const deployment = await deploymentOf(node, id);
        return deployment.status === 'Failed' && deployment;
      });
      assert.equal(failed.reason, 'HealthCheckFailed', failed.message);
      assert.equal((await node.get(host)).text, 'here');
      await proxy.comeBack();
      await until(
        'nothing of it is left',
        async () => (await containersOf(node, { 'svc.deployment': id })).length === 0,
      );
    });
  }
});

describe('an engine that is away', () => {
  it('is told, and a push waits for it', async () => {
    await proxy.leave();
    assert.equal((await node.get(host)).text, 'here');
    const id = await push(serving);
    const waiting = await until('it waits', async () => {
      const deployment = await deploymentOf(node, id);
      return deployment.reason === 'EngineUnavailable' && deployment;
    });
    assert.equal(waiting.status, 'Building');
    assert.match(waiting.message, /engine/);
    await until('the node tells', async () => /out of reach|unreachable/i.test(await engineState()));
    assert.equal((await fetch(`${node.apiUrl}/readyz`)).status, 503);

    await proxy.comeBack();
    await until(
      'it is built and serves',
      async () => (await deploymentOf(node, id)).status === 'Healthy',
      60_000,
    );
    assert.equal((await deploymentsOf(node, service))[0]?.promoted, true);
    await until('the node is ready', async () => (await fetch(`${node.apiUrl}/readyz`)).ok);
  });
});
