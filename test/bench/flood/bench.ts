/** `npm run bench -- flood`: what others notice of a workload that prints as fast as it can. */
import { dirname, join } from 'node:path';
import { app } from '../../support/apps.ts';
import { engineCall } from '../../support/http-answer.ts';
import { must, startNode, type TestNode } from '../../support/node.ts';
import { containersOf, createService, tokenOf } from '../../support/node-api.ts';
import { openLoop, type Sample } from '../rollout/open-loop.ts';
import { percentile, table } from '../stats.ts';
import { followDelays, tellingTime, type Delays } from './delays.ts';
import { bytesIn, cpuOf, engines, residentOf } from './meters.ts';

/** What is printed; the query is how many seconds. Each is a script of the loud service. */
const floods: Readonly<Record<string, string>> = {
  'short lines': 'yes y',
  'lines of 200 bytes': `yes ${'x'.repeat(199)}`,
  // What it cannot get rid of in a tenth of a second it prints later: it never prints faster.
  '100 MB/s': `sh -c 'while :; do yes ${'x'.repeat(199)} | head -c 10000000; usleep 50000; done'`,
};
/** Requests per second to the neighbour, and to the API. */
const rates = { ingress: 200, api: 50 };

interface Scene {
  node: TestNode;
  token: string;
  calm: string;
  loud: string;
  delays: Delays;
}

interface Row {
  name: string;
  ingress: number[];
  api: number[];
  delays: number[];
  /** Processors in use. */
  cpu: { svc: number; engine: number };
  /** Megabytes: memory of the control plane, files of the engine and of svc of the loud service. */
  memory: number;
  files: { engine: number; svc: number };
  failed: number;
}

export async function benchFlood(seconds: number): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const node = await startNode();
  stack.defer(() => node.stop());
  const server = (command: string): string =>
    `FROM busybox\nCOPY www /www\nCMD ["sh", "-c", "${command} exec httpd -f -p $PORT -h /www"]\n`;
  const calm = await createService(node, { name: 'calm', resources: { memory: '64Mi' } });
  const loud = await createService(node, { name: 'loud', resources: { memory: '64Mi' } });
  const trees = [
    await app('demo/calm', { Dockerfile: server(`(${tellingTime}) &`), 'www/index.html': 'calm' }),
    await app('demo/loud', { Dockerfile: server(''), 'www/index.html': 'loud' }),
  ];
  for (const [index, command] of Object.values(floods).entries()) {
    const script = `#!/bin/sh\ntimeout $QUERY_STRING ${command} >/proc/1/fd/1 2>/dev/null &\nprintf '\\r\\n'\n`;
    await trees[1]?.write(`www/cgi-bin/${index}`, script, 0o755);
  }
  for (const tree of trees) {
    stack.defer(() => tree.remove());
    await must(node.svc(['push'], { cwd: tree.dir }));
  }
  const delays = await followDelays(node, calm.id);
  stack.defer(() => delays.stop());
  const scene = { node, token: await tokenOf(node), calm: calm.id, loud: loud.id, delays };
  const each = Math.max(2, seconds / (Object.keys(floods).length * 2 + 2));
  const rows: Row[] = [];
  for (const [index, name] of Object.keys(floods).entries()) {
    rows.push(await measure(scene, 'nothing', each));
    await node.get('loud.demo.localhost', `/cgi-bin/${index}?${Math.ceil(each + 3)}`);
    await wait(1);
    rows.push(await measure(scene, name, each));
    await wait(3);
  }
  process.stdout.write(`${report(rows)}\n`);
}

async function measure({ node, token, calm, loud, delays }: Scene, name: string, seconds: number) {
  const pids = await engines();
  const used = async (all: readonly number[]): Promise<number> =>
    (await Promise.all(all.map(cpuOf))).reduce((sum, one) => sum + one, 0);
  delays.take();
  const before = { svc: await used([node.pid()]), engine: await used(pids) };
  const headers = { authorization: `Bearer ${token}` };
  const apiPort = Number(new URL(node.apiUrl).port);
  const loads = [
    openLoop(node.httpPort, 'calm.demo.localhost', rates.ingress),
    openLoop(apiPort, 'localhost', rates.api, { path: `/v1/services/${calm}`, headers }),
  ];
  await wait(seconds);
  await Promise.all(loads.map((load) => load.stop()));
  const after = { svc: await used([node.pid()]), engine: await used(pids) };
  const [ingress = [], api = []] = loads.map(({ samples }) => samples);
  const waits = (samples: readonly Sample[]): number[] => samples.map(({ due, ended }) => ended - due);
  return {
    ...{ name, ingress: waits(ingress), api: waits(api), delays: delays.take() },
    failed: [...ingress, ...api].filter(({ text }) => text === undefined).length,
    cpu: { svc: (after.svc - before.svc) / seconds, engine: (after.engine - before.engine) / seconds },
    memory: (await residentOf(node.pid())) / 2 ** 20,
    files: {
      engine: await engineFiles(node),
      svc: (await bytesIn(join(node.dataDir, 'logs/workloads', loud))) / 2 ** 20,
    },
  };
}

/** Megabytes that the engine keeps of what the loud service printed. */
async function engineFiles(node: TestNode): Promise<number> {
  const [container] = await containersOf(node, { 'svc.service': 'loud' });
  const { text } = await engineCall(node.engine, 'GET', `/containers/${container?.Id ?? ''}/json`);
  const { LogPath: path } = JSON.parse(text) as { LogPath: string };
  return (await bytesIn(dirname(path), (name) => name.includes('-json.log'))) / 2 ** 20;
}

function report(rows: readonly Row[]): string {
  const quiet = (pick: (row: Row) => number[]): number =>
    percentile(rows.filter(({ name }) => name === 'nothing').flatMap(pick), 0.99);
  const calmest = {
    ingress: quiet(({ ingress }) => ingress),
    api: quiet(({ api }) => api),
    delays: quiet(({ delays }) => delays),
  };
  const head = ['beside', 'ingress p50', 'p99', 'ratio', 'API p50', 'p99', 'ratio', 'line p50', 'p99'];
  const costs = ['ratio', 'failed', 'svc CPUs', 'engine CPUs', 'RSS MiB', 'engine MiB', 'log MiB'];
  const cells = rows.map((row) => {
    const { name, ingress, api, delays, failed, cpu, memory, files } = row;
    const of = (values: readonly number[], calm: number, digits: number): string[] => {
      const [p50, p99] = [percentile(values, 0.5), percentile(values, 0.99)];
      return [p50.toFixed(digits), p99.toFixed(digits), (p99 / calm).toFixed(1)];
    };
    return [
      ...[name, ...of(ingress, calmest.ingress, 1), ...of(api, calmest.api, 1)],
      ...[...of(delays, calmest.delays, 0), String(failed), cpu.svc.toFixed(2), cpu.engine.toFixed(2)],
      ...[memory, files.engine, files.svc].map((value) => value.toFixed(0)),
    ];
  });
  return `Milliseconds of others beside a workload that prints\n\n${table([[...head, ...costs], ...cells])}`;
}

function wait(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
}
