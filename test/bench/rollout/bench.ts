/** `npm run bench -- rollout`: a push under load that does not wait, with 1, 4 and 16 replicas. */
import { app, serving } from '../../support/apps.ts';
import { must, startNode, until, type TestNode } from '../../support/node.ts';
import { createService, deploymentsOf } from '../../support/node-api.ts';
import { now } from '../push/clock.ts';
import { percentile, table } from '../stats.ts';
import { openLoop, type Sample } from './open-loop.ts';

const counts = [1, 4, 16];
/** Requests per second. */
const rate = 2_000;
/** Milliseconds of load before a push and after it. */
const around = 3_000;

export async function benchRollout(seconds: number): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const node = await startNode();
  stack.defer(() => node.stop());
  const rows: string[][] = [];
  const end = now() + seconds * 1_000;
  for (const replicas of counts) if (now() < end) rows.push(await measure(node, replicas));
  const head = [
    'replicas',
    'requests',
    'per second',
    'failed',
    'moved after ms',
    'p50 ms',
    'p99 ms',
    'max ms',
  ];
  process.stdout.write(`A push under ${rate} requests per second\n\n${table([head, ...rows])}\n`);
}

async function measure(node: TestNode, replicas: number): Promise<string[]> {
  const name = `of-${replicas}`;
  const release = { auto_rollback: true, surge: 4, bake: '2s', drain: '10s' };
  const resources = { cpus: 2, memory: '64Mi' };
  const service = await createService(node, { name, replicas, release, resources });
  const tree = await app(`demo/${name}`, { Dockerfile: serving, 'www/index.html': 'old' });
  try {
    await must(node.svc(['push'], { cwd: tree.dir }));
    const load = openLoop(node.httpPort, `${name}.demo.localhost`, rate);
    await new Promise((resolve) => setTimeout(resolve, around));
    await tree.write('www/index.html', 'new');
    const began = now();
    await must(node.svc(['push'], { cwd: tree.dir }));
    await until('its receipt is final', async () => {
      const [newest] = await deploymentsOf(node, service);
      return typeof newest?.receipt?.finished_at === 'string';
    });
    await new Promise((resolve) => setTimeout(resolve, around));
    await load.stop();
    return row(replicas, load.samples, began);
  } finally {
    await must(node.svc(['stop', `demo/${name}`]));
    await tree.remove();
  }
}

function row(replicas: number, samples: readonly Sample[], began: number): string[] {
  const waits = samples.map(({ due, ended }) => ended - due);
  const failed = samples.filter(({ text }) => text !== 'old' && text !== 'new').length;
  const lastOld = Math.max(...samples.filter(({ text }) => text === 'old').map(({ due }) => due));
  const times = samples.map(({ due }) => due);
  const lasted = (Math.max(...times) - Math.min(...times)) / 1_000;
  const ms = (value: number): string => value.toFixed(0);
  return [
    ...[String(replicas), String(samples.length), ms(samples.length / lasted), String(failed)],
    ...[ms(lastOld - began), ms(percentile(waits, 0.5)), ms(percentile(waits, 0.99)), ms(Math.max(...waits))],
  ];
}
