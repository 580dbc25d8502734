/** External images on a real node, from a real registry: digests, moved tags, rollback, verdicts, images of this machine. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { DockerEngine } from '../../controllers/engine/docker.ts';
import { systemClock } from '../../controllers/runtime/system-clock.ts';
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import { misbehaviours, startHostileRegistry } from '../support/hostile-registry.ts';
import { must, startNode, until, type Ran, type TestNode } from '../support/node.ts';
import { callApi, containersOf, createService, deploymentOf, deploymentsOf } from '../support/node-api.ts';
import { buildServing, publish } from '../support/publishing.ts';
import { startRegistry, type TestRegistry } from '../support/registry.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Without a manifest in it. */
const cwd = temporaryDirectory();
const host = 'site.demo.localhost';

let node: TestNode;
let engine: DockerEngine;
let open: TestRegistry;
let site: ServiceResource;

before(async () => {
  node = await startNode();
  engine = new DockerEngine({ endpoint: node.engine, clock: systemClock });
  open = await startRegistry();
  site = await createService(node, { name: 'site' });
});

after(async () => {
  await node.stop();
  await open.forget(node.engine);
  await open.stop();
});

const push = (image: string, service = 'site'): Promise<Ran> =>
  node.svc(['push', '--image', image, '-p', 'demo', '-s', service], { cwd });
const served = async (name = host) => (await node.get(name)).text.trim();

async function newest(service: ServiceResource = site): Promise<DeploymentResource> {
  const [deployment] = await deploymentsOf(node, service);
  assert.ok(deployment);
  return deployment;
}

describe('an image of a registry', () => {
  let first: string;
  let second: string;

  it('is deployed by its tag, without a manifest, and stands in the deployment by its digest', async () => {
    first = await publish(node.engine, open, 'site:latest', 'one');
    const { stdout } = await must(push(`${open.server}/site`));
    assert.match(stdout, new RegExp(`Pulling ${first}`));
    assert.match(stdout, /[0-9a-f]{12}: (done|is there already)/);
    assert.match(stdout, /Healthy/);
    assert.equal(await served(), 'one');
    const { id, image, digest, conditions } = await newest();
    assert.equal(digest, first);
    assert.equal(image, await engine.findImage(first));
    assert.ok(conditions.some(({ type, reason }) => type === 'Built' && reason === 'Pulled'));
    const described = await must(node.svc(['describe', 'deployment', id]));
    assert.match(described.stdout, new RegExp(`Source: +image ${open.server}/site\\n`));
    assert.match(described.stdout, new RegExp(`Digest: +${first}`));
    const wide = await must(node.svc(['get', 'deployments', '-s', 'demo/site', '-o', 'wide']));
    assert.ok(wide.stdout.includes(first));
  });

  it('is not pulled again', async () => {
    const { stdout } = await must(push(`${open.server}/site:latest`));
    assert.match(stdout, new RegExp(`The engine has ${first} already: nothing is pulled`));
    assert.doesNotMatch(stdout, /Pulling/);
    assert.equal((await newest()).digest, first);
  });

  it('is another one once its tag has moved, for deployments from then on', async () => {
    second = await publish(node.engine, open, 'site:latest', 'two');
    assert.notEqual(first, second);
    await must(node.svc(['restart', 'demo/site']));
    assert.equal(await served(), 'one');
    await must(push(`${open.server}/site`));
    assert.equal(await served(), 'two');
    assert.equal((await newest()).digest, second);
  });

  it('comes back with a rollback, which pulls nothing', async () => {
    open.pause();
    await must(node.svc(['rollback', 'demo/site']));
    open.resume();
    assert.equal(await served(), 'one');
    const serving = (await deploymentsOf(node, site)).find(({ promoted }) => promoted);
    assert.equal(serving?.digest, first);
  });

  it('stays with a changed configuration; its command gives way to that of the service', async () => {
    const command =
      'sh -c \'mkdir /tmp/w; echo "by command" > /tmp/w/index.html; exec httpd -f -p $PORT -h /tmp/w\'';
    await must(node.svc(['services', 'update', 'demo/site', '--command', command]));
    assert.equal(await served(), 'by command');
    const { id, digest } = await newest();
    assert.equal(digest, first);
    const [container] = await containersOf(node, { 'svc.deployment': id });
    assert.deepEqual((container?.Config as { Cmd?: string[] }).Cmd?.slice(0, 2), ['sh', '-c']);
    assert.match((await must(node.svc(['describe', 'deployment', id]))).stdout, /Command: +sh -c 'mkdir/);
    await must(node.svc(['services', 'update', 'demo/site', '--command', '']));
    assert.equal(await served(), 'one');
  });

  it('that is not there is a verdict, and what served goes on', async () => {
    const { code, stderr } = await push(`${open.server}/nothing:1`);
    assert.equal(code, 1);
    assert.match(stderr, /\(ImageNotFound\).*has no such image.*Check name and tag/);
    assert.equal(await served(), 'one');
  });

  it('that is for other machines is a verdict before anything is pulled', async () => {
    const foreign = await startHostileRegistry('s390x');
    const { code, stderr } = await push(`${foreign.server}/app:1`);
    assert.equal(code, 1);
    assert.match(stderr, /\(PlatformMismatch\).*made for linux\/s390x/);
    assert.equal(foreign.asked('layer'), 0);
    await foreign.close();
  });

  it('goes with its last deployment', async () => {
    const service = await createService(node, { name: 'short' });
    const digest = await publish(node.engine, open, 'short:1', 'short');
    await must(push(`${open.server}/short:1`, 'short'));
    assert.equal((await newest(service)).digest, digest);
    await must(node.svc(['delete', 'service', 'short', '-p', 'demo', '--yes']));
    await until('the image is gone', async () => (await engine.findImage(digest)) === undefined);
  });
});

describe('a pull that goes on and on', () => {
  it('ends when its deployment is cancelled', async () => {
    const stuck = await startHostileRegistry();
    stuck.behave('layer', misbehaviours.stuck);
    const id = await start(`${stuck.server}/app:1`);
    await until('it is being pulled', async () => (await deploymentOf(node, id)).reason === 'Pulling');
    await until('the layer is asked for', () => Promise.resolve(stuck.asked('layer') > 0));
    // Known before it is there: after a crash it is the same one.
    assert.equal((await deploymentOf(node, id)).digest, `${stuck.server}/app@${stuck.digest}`);
    await must(node.svc(['stop', '--deployment', id]));
    const { status, reason } = await until('it has stopped', async () => {
      const deployment = await deploymentOf(node, id);
      return deployment.status === 'Stopped' && deployment;
    });
    assert.deepEqual([status, reason], ['Stopped', 'Cancelled']);
    await stuck.close();
  });

  it('is taken up again when the control plane was killed meanwhile', async () => {
    const digest = await publish(node.engine, open, 'killed:1', 'after the kill');
    open.pause();
    const id = await start(`${open.server}/killed:1`);
    await until('it is being pulled', async () => (await deploymentOf(node, id)).reason === 'Pulling');
    await node.kill('SIGKILL');
    await node.start();
    open.resume();
    await until('it is healthy', async () => (await deploymentOf(node, id)).status === 'Healthy');
    assert.equal((await deploymentOf(node, id)).digest, digest);
    assert.equal(await served(), 'after the kill');
  });

  async function start(image: string): Promise<string> {
    const args = ['push', '--image', image, '-p', 'demo', '-s', 'site', '--no-follow'];
    return (await must(node.svc(args, { cwd }))).stdout.trim();
  }
});

describe('an image of this machine', () => {
  it('that is in no registry is deployed, and the log says so', async () => {
    const [built, byHand] = [
      await buildServing(node.engine, 'by hand'),
      `by-hand-${randomBytes(4).toString('hex')}:1`,
    ];
    await engine.tagImage((await engine.findImage(built)) ?? '', byHand);
    await engine.removeImage(built);
    const { stdout } = await must(push(byHand));
    assert.ok(stdout.includes(`The image docker.io/library/${byHand} that was made on this machine`), stdout);
    assert.equal(await served(), 'by hand');
    const { image, digest } = await newest();
    assert.equal(digest, null);
    assert.equal(image, await engine.findImage(byHand));
    await engine.removeImage(byHand);
  });
});

describe('a reference that is none', () => {
  for (const image of [
    '',
    'Shop/web',
    'https://ghcr.io/shop/web',
    'a b',
    '--help',
    'ghcr.io/../x',
    `x@sha256:1`,
  ]) {
    it(`is refused where it stands: ${JSON.stringify(image)}`, async () => {
      const { status, text } = await callApi(node, 'POST', '/v1/deployments', { service_id: site.id, image });
      assert.equal(status, 422, text);
      const { errors } = JSON.parse(text) as { errors: { path: string; message: string }[] };
      assert.deepEqual(
        errors.map(({ path }) => path),
        ['/image'],
      );
    });
  }

  it('is refused with what it would be built from', async () => {
    const body = {
      service_id: site.id,
      image: 'nginx',
      repo_url: 'https://example.com/x.git',
      git_ref: 'main',
    };
    assert.equal((await callApi(node, 'POST', '/v1/deployments', body)).status, 422);
    const { code, stderr } = await node.svc(
      ['push', '--image', 'nginx', '--dockerfile', 'Dockerfile', '-p', 'demo', '-s', 'site'],
      { cwd },
    );
    assert.equal(code, 2);
    assert.match(stderr, /--dockerfile says nothing about it/);
  });
});
