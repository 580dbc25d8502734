/** A control plane that is killed at a random moment of a push, a rollback, a stop: the same comes out as without that. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, it } from 'node:test';
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import { app, serving, type App } from '../support/apps.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { containersOf, createService, deploymentsOf, fromApi } from '../support/node-api.ts';

const host = 'killed.demo.localhost';
/** Milliseconds in which all of a push, a rollback or a stop of this service happens. */
const longest = 1_500;
let node: TestNode;
let service: ServiceResource;
let killed: App;

before(async () => {
  node = await startNode();
  service = await createService(node, { name: 'killed', release: { auto_rollback: false } });
  killed = await app('demo/killed', { Dockerfile: serving, 'www/index.html': 'version 0' });
  await must(node.svc(['push'], { cwd: killed.dir }));
});

after(async () => {
  await node.stop();
  await killed.remove();
});

/** @returns after how many milliseconds it was killed, for the messages of failures */
async function killSoon(): Promise<string> {
  const ms = randomInt(longest);
  await new Promise((resolve) => setTimeout(resolve, ms));
  await node.kill('SIGKILL');
  await node.start();
  return `killed after ${ms} ms`;
}

const ask = (what: string, body?: unknown) =>
  fromApi<ServiceResource>(node, 'POST', `/v1/services/${service.id}/${what}`, body);

/** One deployment serves, and nothing else of the service is left running. */
async function serves(number: number, text: string, when: string): Promise<void> {
  const one = await until(`deployment ${number} serves (${when})`, async () => {
    const found = (await deploymentsOf(node, service)).find((deployment) => deployment.number === number);
    return found?.status === 'Healthy' && found.promoted && found;
  });
  await until(
    `it answers (${when})`,
    async () => (await node.get(host).catch(() => undefined))?.text === text,
  );
  const replica = one.replicas[0]?.id;
  await until(`only its container is left (${when})`, async () => {
    const labels = (await containersOf(node, { 'svc.service': 'killed' })).map(({ Config }) => Config.Labels);
    return labels.length === 1 && labels[0]?.['svc.replica'] === replica;
  });
  await until(`the others are at rest (${when})`, async () => {
    const others = (await deploymentsOf(node, service)).filter((deployment) => deployment.number !== number);
    return others.every(isAtRest);
  });
}

const isAtRest = ({ status, promoted, replicas }: DeploymentResource): boolean =>
  !promoted && replicas.length === 0 && ['Inactive', 'Stopped', 'Failed'].includes(status);

for (const round of [1, 2, 3])
  it(`ends as it would have ended, round ${round}`, async () => {
    await killed.write('www/index.html', `version ${round}`);
    await must(node.svc(['push', '--no-follow'], { cwd: killed.dir }));
    await serves(round + 1, `version ${round}`, `push ${await killSoon()}`);

    await ask('rollback');
    await serves(round, `version ${round - 1}`, `rollback ${await killSoon()}`);

    await ask('stop');
    const when = await killSoon();
    await until(`nothing runs (stop ${when})`, async () => {
      const [deployments, containers] = [
        await deploymentsOf(node, service),
        await containersOf(node, { 'svc.service': 'killed' }),
      ];
      return containers.length === 0 && deployments.every(({ status }) => status !== 'Healthy');
    });
    assert.equal((await node.get(host)).status, 503);

    await ask('rollback', { deployment_id: (await deploymentsOf(node, service))[0]?.id });
    await serves(round + 1, `version ${round}`, `start ${await killSoon()}`);
  });
