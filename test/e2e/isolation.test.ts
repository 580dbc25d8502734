/** What a workload may do and whom it can reach: read from the engine, and tried from inside. */
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { capabilities } from '../../controllers/engine/docker/creation.ts';
import { app, type App } from '../support/apps.ts';
import { engineCall } from '../support/http-answer.ts';
import { must, startNode, type TestNode } from '../support/node.ts';
import { containersOf, createService, type Inspected } from '../support/node-api.ts';

const host = 'web.demo.localhost';
const dockerfile = [
  'FROM busybox',
  'COPY www /www',
  'CMD ["sh", "-c", "exec httpd -f -p $PORT -h /www"]',
  '',
].join('\n');
/** Runs what the query says and answers what that printed; the query is encoded in base64. */
const shell = [
  '#!/bin/sh',
  'printf "Content-Type: text/plain\\r\\n\\r\\n"',
  'echo "$QUERY_STRING" | base64 -d | sh 2>&1',
  'echo "code $?"',
  '',
].join('\n');

let node: TestNode;
const apps: App[] = [];
const replicas: Record<'web' | 'friend' | 'stranger', Inspected> = {} as never;

before(async () => {
  node = await startNode();
  await must(node.svc(['projects', 'create', 'other']));
  for (const [name, project] of [
    ['web', 'demo'],
    ['friend', 'demo'],
    ['stranger', 'other'],
  ] as const) {
    await createService(node, {
      ...{ name, project },
      resources: { memory: '48Mi', pids: 64, cpus: 0.5 },
      env: { GREETING: 'hello' },
    });
    const made = await app(`${project}/${name}`, {
      Dockerfile: dockerfile,
      'www/index.html': `I am ${name}`,
    });
    apps.push(made);
    await made.write('www/cgi-bin/run', shell, 0o755);
    await must(node.svc(['push'], { cwd: made.dir }));
    const [replica] = await containersOf(node, { 'svc.service': name });
    assert.ok(replica);
    replicas[name] = replica;
  }
});

after(async () => {
  await node.stop();
  await Promise.all(apps.map((made) => made.remove()));
});

/** Runs a command inside the replica of `web`. */
async function inside(command: string): Promise<string> {
  const query = encodeURIComponent(Buffer.from(command).toString('base64')).replaceAll('%3D', '=');
  const { status, text } = await node.get(host, `/cgi-bin/run?${query}`);
  assert.equal(status, 200, text);
  return text;
}

const addressOf = ({ NetworkSettings }: Inspected) =>
  Object.values(NetworkSettings.Networks)[0]?.IPAddress ?? '';
const fetching = (address: string, port: number) => `timeout 2 wget -q -O - http://${address}:${port}/`;

describe('the container of a replica', () => {
  it('publishes no port on the host', () => {
    const { HostConfig, NetworkSettings } = replicas.web;
    assert.deepEqual(HostConfig['PortBindings'] ?? {}, {});
    assert.equal(HostConfig['PublishAllPorts'], false);
    assert.ok(Object.values(NetworkSettings.Ports ?? {}).every((bindings) => bindings === null));
  });

  it('has few rights', () => {
    const { HostConfig } = replicas.web;
    assert.deepEqual(HostConfig['CapDrop'], ['ALL']);
    const added = (HostConfig['CapAdd'] as string[]).map((name) => name.replace(/^CAP_/, ''));
    assert.deepEqual(added.sort(), [...capabilities].sort());
    assert.deepEqual(HostConfig['SecurityOpt'], ['no-new-privileges']);
    assert.equal(HostConfig['Privileged'], false);
    for (const namespace of ['PidMode', 'UTSMode', 'UsernsMode'])
      assert.equal(HostConfig[namespace], '', `${namespace} is the host's`);
    assert.notEqual(HostConfig['IpcMode'], 'host');
    assert.deepEqual(replicas.web.Mounts, []);
    assert.deepEqual(HostConfig['Devices'] ?? [], []);
  });

  it('has the limits of its service, an init, and no restarts but ours', () => {
    const { HostConfig } = replicas.web;
    assert.equal(HostConfig['Memory'], 48 * 2 ** 20);
    assert.equal(HostConfig['MemorySwap'], 48 * 2 ** 20);
    assert.equal(HostConfig['PidsLimit'], 64);
    assert.equal(HostConfig['NanoCpus'], 5e8);
    assert.equal(HostConfig['Init'], true);
    assert.equal((HostConfig['RestartPolicy'] as { Name: string }).Name, 'no');
  });

  it("is in its project's network and no other", async () => {
    const networks = Object.keys(replicas.web.NetworkSettings.Networks);
    assert.equal(networks.length, 1);
    assert.deepEqual(Object.keys(replicas.friend.NetworkSettings.Networks), networks);
    assert.notDeepEqual(Object.keys(replicas.stranger.NetworkSettings.Networks), networks);
    const { text } = await engineCall(node.engine, 'GET', `/networks/${networks[0] ?? ''}`);
    assert.equal((JSON.parse(text) as { Labels: Record<string, string> }).Labels['svc.project'], 'demo');
  });

  it('says what it is, in environment and labels', () => {
    const { Env, Labels } = replicas.web.Config;
    for (const line of ['GREETING=hello', 'PORT=8080', 'SVC_PROJECT=demo', 'SVC_SERVICE=web'])
      assert.ok(Env.includes(line), line);
    assert.ok(Env.includes(`SVC_DEPLOYMENT=${Labels['svc.deployment'] ?? ''}`));
    assert.ok(Env.includes(`SVC_REPLICA=${Labels['svc.replica'] ?? ''}`));
  });
});

describe('from inside', () => {
  it('no process has more rights than its container, nor can get them', async () => {
    const status = await inside('cat /proc/self/status');
    assert.match(status, /^NoNewPrivs:\s+1$/m);
    // The bits of linux/capability.h.
    const allowed = {
      CHOWN: 0,
      DAC_OVERRIDE: 1,
      FOWNER: 3,
      FSETID: 4,
      KILL: 5,
      SETGID: 6,
      SETUID: 7,
      NET_BIND_SERVICE: 10,
    };
    const mask = Object.values(allowed).reduce((sum, bit) => sum + 2 ** bit, 0);
    assert.match(status, new RegExp(`^CapBnd:\\s+${mask.toString(16).padStart(16, '0')}$`, 'm'));
    assert.match(await inside('cat /proc/1/comm'), /init/);
  });

  it('replicas of the same project are reached', async () => {
    assert.match(await inside(fetching(addressOf(replicas.friend), 8080)), /^I am friend\s*code 0$/m);
  });

  it('replicas of another project are not, neither by address nor by name', async () => {
    assert.equal((await node.get('stranger.other.localhost')).text, 'I am stranger');
    for (const address of [addressOf(replicas.stranger), replicas.stranger.Name.slice(1)]) {
      const said = await inside(fetching(address, 8080));
      assert.doesNotMatch(said, /I am stranger/);
      // Refused, or silence until the time was up: anything else would prove nothing.
      assert.match(said, /code (1|143)\n$/);
    }
  });

  it('API and metrics of the node are not', async () => {
    const [network] = Object.values(replicas.web.NetworkSettings.Networks);
    const own = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address);
    const ports = [node.apiUrl, node.metricsUrl].map((url) => Number(new URL(url).port));
    const tries = ['127.0.0.1', network?.Gateway ?? '', ...own].flatMap((address) =>
      ports.map((port) => `${fetching(address, port)}healthz && echo reached ${address}:${port}`),
    );
    const said = await inside(tries.join('\n'));
    assert.doesNotMatch(said, /reached/);
    assert.equal(said.match(/can't connect|Terminated/g)?.length, tries.length, said);
  });

  it('neither the engine nor another socket of the host is there', async () => {
    assert.match(await inside('ls /run/svc /var/run/docker.sock; true'), /No such file[^]*No such file/);
  });
});
