/** Registries that ask who comes, and such with a certificate of their own, on a real node. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import { must, startNode, type Ran, type TestNode } from '../support/node.ts';
import { createService, deploymentsOf } from '../support/node-api.ts';
import { publish } from '../support/publishing.ts';
import { puller, startRegistry, type TestRegistry } from '../support/registry.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Without a manifest in it. */
const cwd = temporaryDirectory();

let node: TestNode;
let guarded: TestRegistry;
let site: ServiceResource;

before(async () => {
  node = await startNode();
  guarded = await startRegistry({ guarded: true });
  site = await createService(node, { name: 'site' });
});

after(async () => {
  await node.stop();
  await guarded.forget(node.engine);
  await guarded.stop();
});

const push = (image: string): Promise<Ran> =>
  node.svc(['push', '--image', image, '-p', 'demo', '-s', 'site'], { cwd });
const served = async () => (await node.get('site.demo.localhost')).text.trim();

async function newest(): Promise<DeploymentResource> {
  const [deployment] = await deploymentsOf(node, site);
  assert.ok(deployment);
  return deployment;
}

describe('a registry with a password', () => {
  const add = (password: string) =>
    node.svc(
      ['registries', 'add', guarded.server, '-p', 'demo', '--username', puller.username, '--password-stdin'],
      { input: password },
    );
  let digest: string;

  it('gives nothing to a project without credentials, which is told what to do', async () => {
    digest = await publish(node.engine, guarded, 'private:1', 'private');
    const { code, stderr } = await push(`${guarded.server}/private:1`);
    assert.equal(code, 1);
    assert.match(stderr, /\(RegistryDenied\)/);
    assert.ok(stderr.includes(`svc registries add ${guarded.server} --username NAME`), stderr);
  });

  it('gives nothing for a wrong password, which is shown nowhere', async () => {
    await must(add('wrong-password-1'));
    const { code, stdout, stderr } = await push(`${guarded.server}/private:1`);
    assert.equal(code, 1);
    assert.match(stderr, /\(RegistryDenied\).*asked as puller/);
    assert.doesNotMatch(stdout + stderr + node.log(), /wrong-password-1/);
  });

  it('gives the image for the right one, which is shown nowhere', async () => {
    await must(node.svc(['registries', 'remove', guarded.server, '-p', 'demo']));
    await must(add(puller.password));
    const { stdout, stderr } = await must(push(`${guarded.server}/private:1`));
    assert.match(stdout, new RegExp(`Pulling ${digest} as puller`));
    assert.equal(await served(), 'private');
    assert.ok(!`${stdout}${stderr}${node.log()}`.includes(puller.password));
  });

  it('is asked by every project for itself, also for what the engine has', async () => {
    await must(node.svc(['projects', 'create', 'other']));
    await createService(node, { project: 'other', name: 'thief' });
    for (const reference of [`${guarded.server}/private:1`, digest]) {
      const { code, stderr } = await node.svc(['push', '--image', reference, '-p', 'other', '-s', 'thief'], {
        cwd,
      });
      assert.equal(code, 1);
      assert.match(stderr, /\(RegistryDenied\)/);
    }
  });
});

describe('a registry with a certificate of its own', () => {
  it('is trusted by its CA in the engine’s certs.d, and until then a verdict that says so', async () => {
    const secure = await startRegistry({ tls: true });
    try {
      const digest = await publishTo(secure);
      const { code, stderr } = await push(`${secure.server}/secure:1`);
      assert.equal(code, 1);
      assert.match(stderr, /\(PullFailed\).*does not trust the registry.*x509.*certs\.d\//);
      await secure.trust();
      await must(push(`${secure.server}/secure:1`));
      assert.equal(await served(), 'secure');
      assert.equal((await newest()).digest, digest);
    } finally {
      await must(node.svc(['stop', 'demo/site']));
      await secure.forget(node.engine);
      await secure.stop();
    }
  });

  /** A push needs trust as well. */
  async function publishTo(registry: TestRegistry): Promise<string> {
    await registry.trust();
    const digest = await publish(node.engine, registry, 'secure:1', 'secure');
    await registry.distrust();
    return digest;
  }
});
