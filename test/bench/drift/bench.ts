/** `npm run bench -- drift`: from a killed container to one that serves, beside what the engine itself takes to start it. */
import type { RequestOptions } from 'node:http';
import { app, serving } from '../../support/apps.ts';
import { ask, engineCall } from '../../support/http-answer.ts';
import { must, startNode, type TestNode } from '../../support/node.ts';
import { containersOf, createService, deploymentsOf, type Inspected } from '../../support/node-api.ts';
import { now } from '../push/clock.ts';
import { summarise, table } from '../stats.ts';

const host = 'live.demo.localhost';
const port = 8080;
const enough = 20;
/** Milliseconds between two questions whether it serves. */
const pollEvery = 5;
export async function benchDrift(seconds: number): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const node = await startNode();
  stack.defer(() => node.stop());
  const tree = await app('demo/live', { Dockerfile: serving, 'www/index.html': 'here' });
  stack.defer(() => tree.remove());
  const service = await createService(node, { name: 'live' });
  const [bySvc, byEngine]: [number[], number[]] = [[], []];
  for (const end = now() + seconds * 1_000; now() < end && bySvc.length < enough;) {
    // A new deployment each: a container that dies again and again is started later every time.
    await tree.write('www/version', String(bySvc.length));
    await must(node.svc(['push'], { cwd: tree.dir }));
    const [newest] = await deploymentsOf(node, service);
    const [container] = await containersOf(node, { 'svc.deployment': newest?.id ?? '' });
    if (!container) throw new Error('nothing was deployed');
    bySvc.push(await killed(node, container));
    byEngine.push(await startedByHand(node, container));
  }
  const row = (name: string, values: readonly number[]): string[] => {
    const { median, min, max } = summarise(values);
    return [name, ...[median, min, max].map((value) => value.toFixed(0))];
  };
  const rows = [row('killed, until it serves again', bySvc), row("the engine's own start", byEngine)];
  process.stdout.write(`${table([['milliseconds', 'median', 'min', 'max'], ...rows])}\n`);
}

/** @returns milliseconds from the kill to the next good answer through the ingress */
async function killed(node: TestNode, { Id: id }: Inspected): Promise<number> {
  const began = now();
  await engineCall(node.engine, 'POST', `/containers/${id}/kill`);
  await untilServed({ host: '127.0.0.1', port: node.httpPort, headers: { host } });
  return now() - began;
}

/** A twin of it that nobody looks after. @returns milliseconds from its start to its first answer */
async function startedByHand(
  { engine }: TestNode,
  { Image: image, NetworkSettings: at }: Inspected,
): Promise<number> {
  const [network = ''] = Object.keys(at.Networks);
  const body = { Image: image, Env: [`PORT=${port}`], HostConfig: { NetworkMode: network, Init: true } };
  const made = await create(engine, body);
  try {
    const began = now();
    await engineCall(engine, 'POST', `/containers/${made}/start`);
    const { text } = await engineCall(engine, 'GET', `/containers/${made}/json`);
    const { NetworkSettings: there } = JSON.parse(text) as Inspected;
    await untilServed({ host: there.Networks[network]?.IPAddress ?? '', port });
    return now() - began;
  } finally {
    await engineCall(engine, 'DELETE', `/containers/${made}?force=1&v=1`);
  }
}

/** @returns its id */
async function create(engine: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const socketPath = engine.replace('unix://', '');
  const options = { socketPath, method: 'POST', path: '/containers/create', headers };
  const { status, text } = await ask(options, JSON.stringify(body));
  if (status !== 201) throw new Error(`no container could be made: ${status} ${text}`);
  return (JSON.parse(text) as { Id: string }).Id;
}

async function untilServed(options: RequestOptions): Promise<void> {
  for (const end = now() + 30_000; now() < end;) {
    const answer = await ask(options).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, pollEvery));
  }
  throw new Error('nothing serves');
}
