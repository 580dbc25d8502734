/**
 * The control plane is killed at random moments of rollouts, scaling, restarts, jobs and repairs, again and again and while it
 * comes back, under load: no request fails, everything ends as it was asked for, and nothing is left over. The moments follow
 * from KILL_SEED; KILL_ROUNDS says how many rounds.
 */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Docker from 'dockerode';
import { runDirOf } from '../../cli/daemon/directories.ts';
import type { JobResource, RunResource } from '../../specs/job-resources.ts';
import type { Page, ServiceResource } from '../../specs/resources.ts';
import { app, serving, type App } from '../support/apps.ts';
import { asking, Load } from '../support/load.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { callApi, containersOf, createService, deploymentsOf, fromApi } from '../support/node-api.ts';
import { seededRandom } from '../support/seeded-random.ts';

const seed = Number(process.env['KILL_SEED'] ?? 1);
const rounds = Number(process.env['KILL_ROUNDS'] ?? 4);
/** Milliseconds in which most of what a round asks for happens. */
const longest = 2_500;

const random = seededRandom(seed);
/** From 0 on, below `limit`. */
function below(limit: number): number {
  const [high = 0, low = 0] = random(2);
  return Math.floor(((high * 256 + low) / 65_536) * limit);
}

let node: TestNode;
let docker: Docker;
let job: JobResource;
const apps: App[] = [];
const loads: Load[] = [];
/** What each is to be at the end. */
const wanted = { replicas: 2, round: '0', runs: [] as string[] };
const services: Record<string, ServiceResource> = {};
const of = (name: string): string => `/v1/services/${services[name]?.id ?? ''}`;

before(async () => {
  node = await startNode();
  docker = new Docker({ socketPath: node.engine.replace('unix://', ''), host: undefined });
  // Nobody touches the first; the second is changed all the time; the third is damaged by hand.
  for (const name of ['steady', 'busy', 'hurt']) {
    const fields = { name, replicas: name === 'busy' ? 2 : 1, env: { ROUND: '0' } };
    services[name] = await createService(node, { ...fields, release: { drain: '5s' } });
    const made = await app(`demo/${name}`, { Dockerfile: serving, 'www/index.html': name });
    apps.push(made);
    await must(node.svc(['push'], { cwd: made.dir }));
  }
  job = await fromApi<JobResource>(node, 'POST', '/v1/jobs', {
    ...{ project: 'demo', name: 'work', service_id: services['steady']?.id, concurrency: 'allow' },
    command: ['sh', '-c', 'sleep 1; echo done'],
  });
});

after(async () => {
  await Promise.all(loads.map((each) => each.stop()));
  await node.stop();
  for (const { remove } of apps) await remove();
});

const replicasOf = (name: string) => containersOf(node, { 'svc.service': name });

/** What somebody does to the third one by hand. */
const harms: readonly ((container: Docker.Container, network: string) => Promise<unknown>)[] = [
  (container) => container.pause(),
  (container) => container.remove({ force: true }),
  (container) => container.stop({ t: 0 }),
  (container) => container.update({ PidsLimit: 7, CpuShares: 2 }),
  (container) => container.update({ CpuQuota: -1 }),
  (container, network) => docker.getNetwork(network).disconnect({ Container: container.id }),
];

async function harm(): Promise<string> {
  const [found] = await replicasOf('hurt');
  const which = below(harms.length);
  // It may be gone, or stopped, from the harm before.
  if (found)
    await harms[which]?.(docker.getContainer(found.Id), String(found.HostConfig['NetworkMode'])).catch(
      () => undefined,
    );
  return `harm ${which}`;
}

const changes: readonly ((round: number) => Promise<string>)[] = [
  async (round) => {
    wanted.round = String(round);
    await fromApi(node, 'PATCH', of('busy'), { env: { ROUND: wanted.round } });
    return 'release';
  },
  async () => {
    wanted.replicas = 1 + below(3);
    await fromApi(node, 'PATCH', of('busy'), { replicas: wanted.replicas });
    return `scale to ${wanted.replicas}`;
  },
  async () => {
    // Refused while nothing is promoted: it always is here.
    await fromApi(node, 'POST', `${of('busy')}/restart`);
    return 'restart';
  },
  async () => {
    const run = await fromApi<RunResource>(node, 'POST', `/v1/jobs/${job.id}/runs`, {});
    wanted.runs.push(run.id);
    return 'run';
  },
  () => harm(),
];

/** @returns what was done, for the messages of failures */
async function disturb(round: number): Promise<string> {
  const said: string[] = [];
  for (let count = 2 + below(3); count > 0; count--) {
    said.push((await changes[below(changes.length)]?.(round)) ?? '');
    await pause(below(400));
  }
  const moments = [below(longest), ...(below(2) === 0 ? [below(longest)] : [])];
  for (const ms of moments) {
    await pause(ms);
    await node.kill('SIGKILL');
    await node.start();
  }
  return `${said.join(', ')}; killed after ${moments.join(' ms, and again ')} ms`;
}

async function serves(name: string, count: number, round: string, when: string): Promise<void> {
  await until(
    `${name} is as it was asked for (${when})`,
    async () => {
      const [newest] = await deploymentsOf(node, services[name] ?? { id: '' });
      const containers = await replicasOf(name);
      const isRight =
        newest?.promoted === true && newest.status === 'Healthy' && newest.replicas.length === count;
      return (
        isRight &&
        containers.length === count &&
        containers.every(({ Config }) => Config.Env.includes(`ROUND=${round}`)) &&
        newest.replicas.every(({ phase }) => phase === 'Ready')
      );
    },
    90_000,
  );
}

async function rests(when: string): Promise<void> {
  await serves('steady', 1, '0', when);
  await serves('busy', wanted.replicas, wanted.round, when);
  await serves('hurt', 1, '0', when);
  await until(`what was damaged is as it was made (${when})`, async () => {
    const [found] = await replicasOf('hurt');
    const state = found && (await docker.getContainer(found.Id).inspect());
    if (!state?.State.Running || state.State.Paused) return false;
    const { PidsLimit, CpuShares, CpuQuota } = state.HostConfig;
    const isUsual = [0, 1024].includes(CpuShares ?? 0) && (CpuQuota ?? 0) === 0 && PidsLimit === 512;
    return isUsual && (await node.get('hurt.demo.localhost')).text === 'hurt';
  });
  await until(`every run has ended (${when})`, async () => {
    const { items } = await fromApi<Page<RunResource>>(node, 'GET', `/v1/jobs/${job.id}/runs`);
    const over = items.filter(({ status }) => status === 'Succeeded');
    return wanted.runs.slice(-5).every((id) => over.some((run) => run.id === id && run.tries === 1));
  });
}

/** Containers, networks and sockets of the node. */
async function leftovers(): Promise<{ containers: number; networks: number; sockets: string[] }> {
  const nodeId = (await readFile(join(node.dataDir, 'node.id'), 'utf8')).trim();
  const networks = await docker.listNetworks({ filters: { label: [`svc.node=${nodeId}`] } });
  const files = await readdir(join(runDirOf(nodeId, process.env), 'sockets'));
  // A replica may have more than one, each beginning with its id.
  const sockets = [...new Set(files.map((name) => name.split('.')[0] ?? ''))];
  return { containers: (await containersOf(node)).length, networks: networks.length, sockets };
}

/** Nothing is there but what these replicas need. */
async function isTidy(replicas: number, when: string): Promise<void> {
  let seen: Awaited<ReturnType<typeof leftovers>> | undefined;
  await until(`only what is wanted is left (${when})`, async () => {
    seen = await leftovers();
    return (
      seen.containers === replicas &&
      seen.networks === Math.min(1, replicas) &&
      seen.sockets.length === replicas
    );
  }).catch((error: unknown) => {
    throw new Error(`there are ${JSON.stringify(seen)}, and ${replicas} replicas`, { cause: error });
  });
}

it(`rests as it was asked for after ${rounds} rounds of kills (KILL_SEED=${seed})`, async () => {
  for (const name of ['steady', 'busy'])
    loads.push(
      new Load().start({ port: node.httpPort, host: `${name}.demo.localhost` }, [
        asking(`${name} a`, '/'),
        asking(`${name} b`, '/'),
      ]),
    );
  for (let round = 1; round <= rounds; round++) {
    const when = `round ${round}: ${await disturb(round)}`;
    await rests(when);
    for (const { failures } of loads) assert.deepEqual(failures, [], when);
    await isTidy(2 + wanted.replicas, when);
  }
  await Promise.all(loads.map((each) => each.stop()));
  for (const { answers } of loads)
    for (const count of Object.values(answers)) assert.ok(count > 50, String(count));
});

it('leaves nothing when it is killed while all of it is deleted', async () => {
  const { items } = await fromApi<Page<{ id: string }>>(node, 'GET', '/v1/projects');
  const { status } = await callApi(node, 'DELETE', `/v1/projects/${items[0]?.id ?? ''}?cascade=true`);
  assert.equal(status, 202);
  await pause(below(1_000));
  await node.kill('SIGKILL');
  await node.start();
  await isTidy(0, 'deleted');
  const tags = (await docker.listImages()).flatMap(({ RepoTags }) => RepoTags ?? []);
  for (const { id } of Object.values(services))
    assert.ok(!tags.some((tag) => tag.startsWith(`svc/${id.replace('_', '-')}:`)));
});
