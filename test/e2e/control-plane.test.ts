/** What must not depend on the control plane: traffic, and the truth about what was asked for. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { app, serving, type App } from '../support/apps.ts';
import { engineCall } from '../support/http-answer.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';

const host = 'hello.demo.localhost';
let node: TestNode;
let hello: App;
let nodeId: string;

before(async () => {
  node = await startNode();
  nodeId = (await readFile(`${node.dataDir}/node.id`, 'utf8')).trim();
  await must(
    node.svc([
      ...['services', 'create', 'hello', '-p', 'demo', '--port', '8080'],
      // Nothing of the deployment before is kept warm: what dies here is what serves.
      ...['--release', 'auto_rollback=false'],
    ]),
  );
  hello = await app('demo/hello', { Dockerfile: serving, 'www/index.html': 'one' });
  await must(node.svc(['push'], { cwd: hello.dir }));
});

after(async () => {
  await node.stop();
  await hello.remove();
});

/** Asks without pause while `work` goes on. @returns every answer that was not 200 */
async function underLoad(work: () => Promise<unknown>): Promise<{ asked: number; failed: unknown[] }> {
  const done = new AbortController();
  const failed: unknown[] = [];
  let asked = 0;
  const load = (async () => {
    for (; !done.signal.aborted; asked++) {
      await node.get(host).then(
        ({ status }) => status === 200 || failed.push(status),
        (error: unknown) => failed.push(error),
      );
    }
  })();
  await work().finally(() => done.abort());
  await load;
  return { asked, failed };
}

interface Container {
  Id: string;
  Names: string[];
  HostConfig: { NetworkMode: string };
}

async function containers(): Promise<Container[]> {
  const filters = encodeURIComponent(JSON.stringify({ label: ['svc.service=hello', `svc.node=${nodeId}`] }));
  return JSON.parse(
    (await engineCall(node.engine, 'GET', `/containers/json?filters=${filters}`)).text,
  ) as Container[];
}
describe('the node', () => {
  it('refuses a second process on its data directory, naming the first', async () => {
    const second = await node.svc(['serve', '--data-dir', node.dataDir]);
    assert.notEqual(second.code, 0);
    assert.match(second.stderr, new RegExp(`in use by process ${node.pid()}`));
  });

  it('serves through kill -9 of the control plane and its return, without one failed request', async () => {
    const { asked, failed } = await underLoad(async () => {
      await node.kill('SIGKILL');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await node.start();
      await must(node.svc(['get', 'services']));
    });
    assert.deepEqual(failed, []);
    assert.ok(asked > 100, `only ${asked} requests were asked`);
    assert.equal((await containers()).length, 1);
  });

  it('goes on with a deployment that a kill -9 interrupted', async () => {
    await hello.write('www/index.html', 'two');
    await hello.write('Dockerfile', serving.replace('COPY', 'RUN sleep 2\nCOPY'));
    await must(node.svc(['push', '--no-follow'], { cwd: hello.dir }));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { failed } = await underLoad(async () => {
      await node.kill('SIGKILL');
      await node.start();
      await until('the interrupted deployment serves', async () => (await node.get(host)).text === 'two');
    });
    assert.deepEqual(failed, []);
  });

  it('starts a replica that was killed while nobody watched', async () => {
    const [container] = await containers();
    await node.kill('SIGKILL');
    await engineCall(node.engine, 'POST', `/containers/${container?.Id ?? ''}/kill`);
    await node.start();
    await until('it serves again', async () => (await node.get(host)).status === 200);
  });

  it('starts a replica that died, and counts that', async () => {
    const [container] = await containers();
    await engineCall(node.engine, 'POST', `/containers/${container?.Id ?? ''}/kill`);
    await until('it serves again', async () => (await node.get(host)).status === 200);
    const { stdout } = await must(node.svc(['get', 'deployments', '-s', 'demo/hello', '-o', 'json']));
    const items = (JSON.parse(stdout) as { items: { promoted: boolean; replicas: { restarts: number }[] }[] })
      .items;
    assert.equal(items.find(({ promoted }) => promoted)?.replicas[0]?.restarts, 2);
  });

  it('puts back a container that somebody removed by hand', async () => {
    const [container] = await containers();
    await engineCall(node.engine, 'DELETE', `/containers/${container?.Id ?? ''}?force=1`);
    await until('it serves again', async () => (await node.get(host)).status === 200);
  });

  it('tells scrapers about its controllers, every series from zero', async () => {
    const text = await (await fetch(`${node.metricsUrl}/metrics`)).text();
    for (const kind of ['Project', 'Service', 'Deployment', 'Replica', 'RouteSet', 'Upload']) {
      assert.match(text, new RegExp(`svc_workqueue_depth\\{kind="${kind}"\\} \\d`));
      assert.match(text, new RegExp(`svc_workqueue_retries_total\\{kind="${kind}"\\} \\d`));
    }
    assert.equal((await fetch(`${node.metricsUrl}/readyz`)).status, 200);
  });
});
