/** The life of a service on a real engine: pushed, served, replaced, rolled back, stopped, started, restarted. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { app, serving, type App } from '../support/apps.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';

const host = 'hello.demo.localhost';
let node: TestNode;
let hello: App;

interface Deployment {
  id: string;
  number: number;
  status: string;
  reason: string;
  promoted: boolean;
  image: string;
  replicas: { id: string; phase: string }[];
}

before(async () => {
  node = await startNode();
  await must(node.svc(['services', 'create', 'hello', '-p', 'demo', '--port', '8080']));
  hello = await app('demo/hello', { Dockerfile: serving, 'www/index.html': 'one' });
});

after(async () => {
  await node.stop();
  await hello.remove();
});

async function deployments(): Promise<Deployment[]> {
  const { stdout } = await must(node.svc(['get', 'deployments', '-s', 'demo/hello', '-o', 'json']));
  return (JSON.parse(stdout) as { items: Deployment[] }).items;
}

const push = () => node.svc(['push'], { cwd: hello.dir });
const answered = async (): Promise<string> => (await node.get(host)).text.trim();

describe('a service', () => {
  it('that was never pushed answers 503, and a host that nobody has 404', async () => {
    // Its route follows within moments of the service.
    await until('the host is known', async () => (await node.get(host)).status === 503);
    const unknown = await node.get('nobody.demo.localhost');
    assert.equal(unknown.status, 404);
    assert.match(String(unknown.headers['content-type']), /problem\+json/);
  });

  it('is served as soon as its push says Healthy', async () => {
    const { stdout, stderr } = await must(push());
    assert.match(stdout + stderr, /Healthy/);
    assert.match(stdout + stderr, /COPY www \/www/);
    assert.match(stdout + stderr, new RegExp(`http://${host}:${node.httpPort}/`));
    assert.equal(await answered(), 'one');
  });

  it('publishes nothing on the host and runs with few rights', async () => {
    const [deployment] = await deployments();
    const { stdout } = await must(node.svc(['describe', 'service', 'demo/hello']));
    assert.match(stdout, /Serving/);
    assert.equal(deployment?.replicas.length, 1);
  });

  it('is replaced by the next push, and the one before is kept', async () => {
    await hello.write('www/index.html', 'two');
    await must(push());
    assert.equal(await answered(), 'two');
    assert.deepEqual(
      (await deployments()).map(({ number, status, promoted }) => [number, status, promoted]),
      [
        [2, 'Healthy', true],
        [1, 'Inactive', false],
      ],
    );
  });

  it('keeps serving while a push of something broken fails, which says why', async () => {
    await hello.write('Dockerfile', 'FROM busybox\nCMD ["sh", "-c", "echo out of order; exit 3"]\n');
    const { code, stdout, stderr } = await push();
    assert.equal(code, 1);
    assert.match(stdout + stderr, /exited with code 3/);
    assert.match(stdout + stderr, /out of order/);
    assert.equal(await answered(), 'two');

    await hello.write('Dockerfile', 'FROM busybox\nRUN echo to the build; false\n');
    const unbuilt = await push();
    assert.equal(unbuilt.code, 1);
    assert.match(unbuilt.stdout + unbuilt.stderr, /to the build/);
    assert.match(unbuilt.stdout + unbuilt.stderr, /BuildFailed/);
    assert.equal(await answered(), 'two');
  });

  it('goes back to what it was, without a build', async () => {
    const before = (await deployments()).find(({ number }) => number === 1);
    await must(node.svc(['rollback', 'demo/hello']));
    assert.equal(await answered(), 'one');
    const now = (await deployments()).find(({ number }) => number === 1);
    assert.equal(now?.status, 'Healthy');
    assert.equal(now.image, before?.image);
    await must(node.svc(['rollback', 'demo/hello', '--to', '2']));
    assert.equal(await answered(), 'two');
  });

  it('answers 503 with Retry-After while it is stopped, as a page for browsers, and serves again when started', async () => {
    await must(node.svc(['stop', 'demo/hello']));
    const stopped = await node.get(host, '/', { accept: 'text/html' });
    assert.equal(stopped.status, 503);
    assert.ok(Number(stopped.headers['retry-after']) > 0);
    assert.match(String(stopped.headers['content-type']), /text\/html/);
    await must(node.svc(['start', 'demo/hello']));
    assert.equal(await answered(), 'two');
  });

  it('has other replicas after a restart, and answered all the time', async () => {
    const before = (await deployments()).find(({ promoted }) => promoted)?.replicas[0]?.id;
    const asking = new AbortController();
    const failures: unknown[] = [];
    const load = (async () => {
      while (!asking.signal.aborted) {
        const answer = await node.get(host).catch((error: unknown) => failures.push(error));
        if (typeof answer === 'object' && answer.status !== 200) failures.push(answer.status);
      }
    })();
    await must(node.svc(['restart', 'demo/hello']));
    asking.abort();
    await load;
    assert.deepEqual(failures, []);
    const replicas = await until('the old replica is gone', async () => {
      const found = (await deployments()).find(({ promoted }) => promoted)?.replicas;
      return found?.length === 1 && found;
    });
    assert.notEqual(replicas[0]?.id, before);
  });

  it('shows its output', async () => {
    await hello.write('Dockerfile', serving.replace('exec httpd', 'echo I am up; exec httpd'));
    await must(push());
    const { stdout } = await until('the line is there', async () => {
      const ran = await must(node.svc(['logs', 'demo/hello']));
      return ran.stdout.includes('I am up') && ran;
    });
    assert.match(stdout, /I am up/);
  });
});
