/**
 * All that `docker update` can change of a container is put right within seconds, under load, and no request fails; of a job's
 * run as well as of a service. An event names what had drifted.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Docker from 'dockerode';
import type { Event } from '../../specs/event.ts';
import type { JobResource, RunResource } from '../../specs/job-resources.ts';
import type { Page, ServiceResource } from '../../specs/resources.ts';
import { app, serving, type App } from '../support/apps.ts';
import { asking, Load } from '../support/load.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { containersOf, createService, deploymentsOf, fromApi, type Inspected } from '../support/node-api.ts';

const host = 'limits.demo.localhost';
const MiB = 2 ** 20;
let node: TestNode;
let docker: Docker;
let service: ServiceResource;
let limited: App;
/** Of the engine's machine. */
let machine: { CgroupVersion: string; NCPU: number };

before(async () => {
  node = await startNode();
  docker = new Docker({ socketPath: node.engine.replace('unix://', ''), host: undefined });
  machine = (await docker.info()) as typeof machine;
  service = await createService(node, {
    ...{ name: 'limits', resources: { memory: '96Mi', cpus: 0.5, pids: 64 } },
    release: { drain: '5s' },
  });
  limited = await app('demo/limits', { Dockerfile: serving, 'www/index.html': 'here' });
  await must(node.svc(['push'], { cwd: limited.dir }));
  await until('it serves', async () => (await node.get(host)).text === 'here');
});

after(async () => {
  await node.stop();
  await limited.remove();
});

async function onlyContainer(labels: Record<string, string>): Promise<Inspected> {
  return until('it has one container', async () => {
    const [found, ...others] = await containersOf(node, labels);
    return others.length === 0 && found;
  });
}

const ofService = { 'svc.service': 'limits' };

async function drifts(object?: string): Promise<string[]> {
  const path = `/v1/events?limit=500${object === undefined ? `&service_id=${service.id}` : `&id=${object}`}`;
  const { items } = await fromApi<Page<Event>>(node, 'GET', path);
  return items.filter(({ reason }) => reason === 'Drifted').map(({ message }) => message);
}

/** What of a container says how much of the machine it may have. */
const partsOf = ({ HostConfig: h }: Inspected) => ({
  ...{ memory: h['Memory'], swap: h['MemorySwap'], reserved: Math.max(0, Number(h['MemoryReservation'])) },
  ...{ cpus: h['NanoCpus'], quota: h['CpuQuota'], period: h['CpuPeriod'], pids: h['PidsLimit'] },
  ...{ shares: [0, 1024].includes(Number(h['CpuShares'])), nodes: h['CpusetMems'], weight: h['BlkioWeight'] },
  processors: ['', '0', `0-${machine.NCPU - 1}`].indexOf(String(h['CpusetCpus'])) !== 1 || machine.NCPU === 1,
  ...{ realtime: h['CpuRealtimePeriod'], kernel: h['KernelMemory'] ?? 0, restarts: h['RestartPolicy'] },
});

/** What is changed, in the words of the event, and whether it is undone in the same container. */
const changes: [object, RegExp, boolean | 'on v1'][] = [
  [{ CpuShares: 512 }, /cpu shares 512/, 'on v1'],
  [{ CpusetCpus: '0' }, /processors 0 only/, true],
  [{ CpusetMems: '0' }, /memory nodes 0 only/, false],
  [{ MemorySwap: -1 }, /swap unlimited/, true],
  [{ MemorySwap: 160 * MiB }, /swap 64\.0 MiB/, true],
  [{ MemoryReservation: 32 * MiB }, /memory reservation 32\.0 MiB/, 'on v1'],
  [{ Memory: 64 * MiB, MemorySwap: 64 * MiB }, /memory 64\.0 MiB instead of 96Mi/, true],
  [{ NanoCpus: 1e9 }, /cpus 1 instead of 0\.5/, true],
  [{ CpuQuota: -1 }, /a cpu quota/, false],
  [{ PidsLimit: -1 }, /pids unlimited instead of 64/, true],
  [{ RestartPolicy: { Name: 'unless-stopped' } }, /the engine was to restart it by itself/, true],
];

describe('docker update of a service that is under load', () => {
  for (const [change, words, inPlace] of changes)
    it(`is undone: ${JSON.stringify(change)}`, async () => {
      const before = await onlyContainer(ofService);
      const wanted = partsOf(before);
      const load = new Load().start({ port: node.httpPort, host }, [asking('a', '/'), asking('b', '/')]);
      await docker.getContainer(before.Id).update(change);
      await until('an event names it', async () => (await drifts()).some((said) => words.test(said)));
      const now = await until('it is as it was', async () => {
        const found = await onlyContainer(ofService);
        const isReplaced = found.Id !== before.Id;
        const isSame =
          isReplaced === (inPlace === false || (inPlace === 'on v1' && machine.CgroupVersion === '2'));
        return isSame && JSON.stringify(partsOf(found)) === JSON.stringify(wanted) && found;
      });
      await until('requests went on', () => Promise.resolve((load.answers['a'] ?? 0) >= 20));
      await load.stop();
      assert.deepEqual(load.failures, [], now.Id);
    });

  it('gets its name back when it was renamed', async () => {
    const before = await onlyContainer(ofService);
    const name = before.Name.slice(1);
    await docker.getContainer(before.Id).rename({ name: `${name}-mine` });
    await until('it is called as before', async () => (await onlyContainer(ofService)).Name === `/${name}`);
    assert.ok((await drifts()).some((said) => said.includes('its container was renamed')));
  });

  it('is never undone twice: the engine hears of it once', async () => {
    const { Id } = await onlyContainer(ofService);
    // Events are asked for by the second: those of the tests before are not to be among them.
    await pause(1_100);
    const since = Math.floor(Date.now() / 1000);
    await docker.getContainer(Id).update({ PidsLimit: 99 });
    await until('it is undone', async () => partsOf(await onlyContainer(ofService)).pids === 64);
    await pause(2_000);
    const filters = JSON.stringify({ container: [Id], event: ['update'] });
    const events = await docker.getEvents({ since, until: Math.floor(Date.now() / 1000), filters });
    let text = '';
    for await (const chunk of events) text += String(chunk);
    assert.equal(text.trim().split('\n').length, 2, `somebody's and its undoing: ${text}`);
  });
});

describe('limits that the engine refuses', () => {
  it('are told by the service, its events and describe, and nothing is disturbed', async () => {
    const before = await onlyContainer(ofService);
    await fromApi(node, 'PATCH', `/v1/services/${service.id}`, { resources: { cpus: 100 } });
    const said = await until('the service says so', async () => {
      const { conditions } = await fromApi<ServiceResource>(node, 'GET', `/v1/services/${service.id}`);
      return conditions.find(({ type, status }) => type === 'Limits' && status === 'False')?.message;
    });
    assert.match(said, /Range of CPUs is from 0\.01 to/);
    assert.match(said, /It goes on with those that it has/);
    const { stdout } = await must(node.svc(['describe', 'service', 'limits', '-p', 'demo']));
    assert.match(stdout, /Range of CPUs/);
    const { items } = await fromApi<Page<Event>>(
      node,
      'GET',
      `/v1/events?service_id=${service.id}&limit=500`,
    );
    assert.equal(items.filter(({ reason }) => reason === 'LimitsRefused').length, 1);
    assert.equal((await onlyContainer(ofService)).Id, before.Id);
    assert.equal((await node.get(host)).text, 'here');
    await fromApi(node, 'PATCH', `/v1/services/${service.id}`, { resources: { cpus: 0.5 } });
    await until('it says that they are in force', async () => {
      const { conditions } = await fromApi<ServiceResource>(node, 'GET', `/v1/services/${service.id}`);
      return conditions.some(({ type, status }) => type === 'Limits' && status === 'True');
    });
  });
});

describe('the container of a run', () => {
  it('goes on as it was made, whatever is done to it but its end', async () => {
    const job = await fromApi<JobResource>(node, 'POST', '/v1/jobs', {
      ...{ project: 'demo', name: 'long', service_id: service.id, command: ['sh', '-c', 'sleep 600'] },
      resources: { memory: '64Mi', cpus: 0.25, pids: 32 },
    });
    const run = await fromApi<RunResource>(node, 'POST', `/v1/jobs/${job.id}/runs`, {});
    const ofRun = { 'svc.run': run.id };
    const made = await until('it runs', async () => {
      const [found] = await containersOf(node, ofRun);
      // The engine tells an address only of what runs.
      const [place] = Object.values(found?.NetworkSettings.Networks ?? {});
      return place !== undefined && place.IPAddress !== '' && found;
    });
    const byHand = docker.getContainer(made.Id);
    const isTold = (words: RegExp) =>
      until(`an event says ${words}`, async () => (await drifts(run.id)).some((said) => words.test(said)));

    await byHand.pause();
    await until('it goes on', async () => !(await byHand.inspect()).State.Paused);
    await isTold(/it was paused/);

    const [network = ''] = Object.keys(made.NetworkSettings.Networks);
    await docker.getNetwork(network).disconnect({ Container: made.Id });
    await docker.getNetwork('bridge').connect({ Container: made.Id });
    await until('it is in its network alone', async () => {
      const { NetworkSettings } = await onlyContainer(ofRun);
      const [name, ...others] = Object.entries(NetworkSettings.Networks);
      const address = made.NetworkSettings.Networks[network]?.IPAddress;
      return others.length === 0 && name?.[0] === network && name[1].IPAddress === address;
    });
    await isTold(/it was disconnected from its project's network/);

    const looser = { Memory: 128 * MiB, MemorySwap: 256 * MiB, NanoCpus: 1e9, PidsLimit: -1, CpuQuota: -1 };
    await byHand.update(looser);
    await until('it has its limits', async () => {
      const { memory, swap, cpus, pids } = partsOf(await onlyContainer(ofRun));
      return memory === 64 * MiB && swap === memory && cpus === 25e7 && pids === 32;
    });
    await isTold(/memory 128\.0 MiB instead of 64Mi, cpus 1 instead of 0\.25/);
    await isTold(/it stays so until its try ends: a cpu quota/);

    assert.equal((await onlyContainer(ofRun)).Id, made.Id);
    await fromApi(node, 'POST', `/v1/runs/${run.id}/stop`);
    await until('it ends', async () => {
      return (await fromApi<RunResource>(node, 'GET', `/v1/runs/${run.id}`)).status === 'Stopped';
    });
  });

  it('that was paused is stopped all the same', async () => {
    const jobs = await fromApi<Page<JobResource>>(node, 'GET', '/v1/jobs');
    const run = await fromApi<RunResource>(node, 'POST', `/v1/jobs/${jobs.items[0]?.id ?? ''}/runs`, {});
    const [found] = await until('it runs', async () => {
      const all = await containersOf(node, { 'svc.run': run.id });
      return all[0] && (await docker.getContainer(all[0].Id).inspect()).State.Running && all;
    });
    await fromApi(node, 'POST', `/v1/runs/${run.id}/stop`);
    await docker
      .getContainer(found?.Id ?? '')
      .pause()
      .catch(() => undefined);
    await until('it ends', async () => {
      return (await fromApi<RunResource>(node, 'GET', `/v1/runs/${run.id}`)).status === 'Stopped';
    });
    assert.equal((await deploymentsOf(node, service))[0]?.status, 'Healthy');
  });
});
