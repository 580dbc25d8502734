/** Deployments of Git sources on a real node: cloned from a real sshd, built by a real engine, served. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runDirOf } from '../../cli/daemon/directories.ts';
import type { DeployKeyResource, DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import { serving } from '../support/apps.ts';
import { startGitHost, type GitHost } from '../support/git-host.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { callApi, createService, deploymentOf, deploymentsOf, fromApi } from '../support/node-api.ts';

let host: GitHost;
let node: TestNode;
let service: ServiceResource;
let silent: Server;

before(async () => {
  host = await startGitHost();
  node = await startNode(['--fetch-allow', '127.0.0.1/32']);
  service = await createService(node, { name: 'site' });
  const key = await fromApi<DeployKeyResource>(node, 'POST', '/v1/projects/demo/deploy-key/generate', {});
  await host.authorize(key.public_key);
  silent = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
});

after(async () => {
  silent.close();
  await node.stop();
  await host.stop();
});

const push = (url: string, ref: string, ...more: string[]) =>
  node.svc(['push', '--git', url, '--ref', ref, '-p', 'demo', '-s', 'site', ...more]);
const served = async () => (await node.get('site.demo.localhost')).text.trim();
const newest = async (): Promise<DeploymentResource> => {
  const [deployment] = await deploymentsOf(node, service);
  assert.ok(deployment);
  return deployment;
};

/** Names below the directories in which clones lie, of keys before all. */
async function cloneFiles(): Promise<string[]> {
  const nodeId = (await readFile(join(node.dataDir, 'node.id'), 'utf8')).trim();
  const dirs = [join(runDirOf(nodeId, process.env), 'git'), join(node.dataDir, 'git')];
  return (await Promise.all(dirs.map((dir) => readdir(dir, { recursive: true })))).flat();
}

describe('a Git source', () => {
  it('is cloned with the deploy key, built and served; the commit stands in the deployment', async () => {
    const files = {
      Dockerfile: serving,
      '.dockerignore': 'www/hidden.html\n',
      'www/index.html': 'one',
      'www/hidden.html': 'hidden',
    };
    const commit = await host.commit('site', files, { tag: 'v1' });
    const { stdout, stderr } = await must(push(host.url('site'), 'main'));
    assert.match(stdout + stderr, new RegExp(`Commit ${commit}`));
    assert.match(stdout + stderr, /Healthy/);
    assert.equal(await served(), 'one');
    assert.equal((await node.get('site.demo.localhost', '/hidden.html')).status, 404);
    const deployment = await newest();
    assert.equal(deployment.commit, commit);
    const described = await must(node.svc(['describe', 'deployment', deployment.id]));
    assert.match(described.stdout, new RegExp(commit));
    assert.deepEqual(await cloneFiles(), []);
    assert.doesNotMatch(node.log() + stdout + stderr, /PRIVATE KEY/);
  });

  it('may be a tag or a commit, in a folder, with submodules', async () => {
    const lib = await host.commit('lib', { 'index.html': 'from a submodule' });
    const newer = await host.commit(
      'site',
      { 'app/docker/Dockerfile': serving },
      { submodules: { 'app/www': { url: '../lib.git', commit: lib } } },
    );
    await must(push(host.url('site'), newer, '--dockerfile', 'app/docker/Dockerfile', '--context', 'app'));
    assert.equal(await served(), 'from a submodule');
    await must(push(host.url('site'), 'v1'));
    assert.equal(await served(), 'one');
  });

  it('that is not taken is refused at once, with a pointer', async () => {
    const body = { service_id: service.id, repo_url: 'ext::sh -c id', git_ref: '--upload-pack=x' };
    const { status, text } = await callApi(node, 'POST', '/v1/deployments', body);
    assert.equal(status, 422);
    const { errors } = JSON.parse(text) as { errors: { path: string }[] };
    assert.deepEqual(
      errors.map(({ path }) => path),
      ['/repo_url', '/git_ref'],
    );
  });

  it('whose host shows another key fails, until somebody forgets the old one', async () => {
    const name = `[127.0.0.1]:${host.port}`;
    const old = await host.fingerprint();
    const listed = await must(node.svc(['projects', 'known-hosts', 'list', 'demo']));
    assert.ok(listed.stdout.includes(name) && listed.stdout.includes(old));
    await host.changeKey();
    const refused = await push(host.url('site'), 'v1');
    assert.equal(refused.code, 1);
    const { status, reason, message } = await newest();
    assert.deepEqual([status, reason], ['Failed', 'HostKeyChanged']);
    for (const part of [name, old, await host.fingerprint()]) assert.ok(message.includes(part));
    const { stdout: log } = await must(node.svc(['logs', '--deployment', (await newest()).id]));
    assert.match(log, /\(HostKeyChanged\).*svc projects known-hosts remove PROJECT/);
    assert.doesNotMatch(log + refused.stdout + refused.stderr, /access rights|Could not read from remote/);
    assert.equal(await served(), 'one');
    await must(node.svc(['projects', 'known-hosts', 'remove', 'demo', name]));
    await must(push(host.url('site'), 'v1'));
  });

  it('leaves neither key nor process when the control plane is killed', async () => {
    const { port } = silent.address() as AddressInfo;
    const url = `ssh://git@127.0.0.1:${port}/x.git`;
    const id = (await must(push(url, 'main', '--no-follow'))).stdout.trim();
    await until('its key is there', async () => (await cloneFiles()).some((name) => name.endsWith('/key')));
    // Nobody is left to clean up.
    await node.kill('SIGKILL');
    assert.ok((await cloneFiles()).some((name) => name.endsWith('/key')));
    await node.start();
    await fromApi(node, 'POST', `/v1/deployments/${id}/stop`, {});
    await until('nothing is left', async () => (await cloneFiles()).length === 0);
    await until('it is stopped', async () => (await deploymentOf(node, id)).status === 'Stopped');
  });

  it('that holds up nobody: a stalled host keeps no other deployment waiting', async () => {
    const other = await createService(node, { name: 'other' });
    const { port } = silent.address() as AddressInfo;
    await must(push(`ssh://git@127.0.0.1:${port}/x.git`, 'main', '--no-follow'));
    const body = { service_id: other.id, repo_url: host.url('site'), git_ref: 'v1' };
    const { id } = await fromApi<DeploymentResource>(node, 'POST', '/v1/deployments', body);
    await until('the other one is Healthy', async () => (await deploymentOf(node, id)).status === 'Healthy');
    await must(node.svc(['stop', 'demo/site']));
  });
});
