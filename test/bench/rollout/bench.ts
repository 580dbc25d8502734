/**
 * `npm run bench -- rollout`: one push after the other under load that does not wait, with 1, 4 and 16 replicas, and with a volume,
 * which is released stop-first.
 */
import { app } from '../../support/apps.ts';
import { must, startNode, until, type TestNode } from '../../support/node.ts';
import { createService, deploymentsOf } from '../../support/node-api.ts';
import { now } from '../push/clock.ts';
import { percentile, summarise, table } from '../stats.ts';
import { openLoop, type Sample } from './open-loop.ts';
import { dockerfile, ensureNginx } from './workload.ts';

interface Variant {
  name: string;
  replicas: number;
  /** Part of the time. */
  share: number;
  spec?: object;
}

const variants: readonly Variant[] = [
  { name: '1 replica', replicas: 1, share: 0.25 },
  { name: '4 replicas', replicas: 4, share: 0.2 },
  { name: '16 replicas', replicas: 16, share: 0.25 },
  { name: '1 with a volume', replicas: 1, share: 0.3, spec: { volumes: [{ name: 'data', mount: '/data' }] } },
];
/** Requests per second. */
const rate = 2_000;
/** Milliseconds of load before the first push, and after each. */
const around = 1_000;
/** Rollouts of each, at most. */
const enough = 100;

export async function benchRollout(seconds: number): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const node = await startNode();
  stack.defer(() => node.stop());
  stack.defer(await ensureNginx(node.engine));
  const rows: string[][] = [];
  for (const variant of variants) rows.push(await measure(node, variant, seconds * variant.share * 1_000));
  const head = [
    ...['', 'rollouts', 'requests', 'per second', 'failed', 'failed by receipts'],
    ...['moved after ms: median', 'max', 'waits ms: p50', 'p99', 'max'],
  ];
  process.stdout.write(`Pushes under ${rate} requests per second\n\n${table([head, ...rows])}\n`);
}

async function measure(node: TestNode, variant: Variant, time: number): Promise<string[]> {
  const { name: title, replicas, spec } = variant;
  const name = title.replaceAll(' ', '-');
  const release = { auto_rollback: false, surge: 4, drain: '5s', keep: 1 };
  const resources = { cpus: 2, memory: '64Mi' };
  const service = await createService(node, { name, replicas, release, resources, ...spec });
  const tree = await app(`demo/${name}`, { Dockerfile: dockerfile, 'www/index.html': '0' });
  try {
    await must(node.svc(['push'], { cwd: tree.dir }));
    const load = openLoop(node.httpPort, `${name}.demo.localhost`, rate);
    await pause(around);
    const began: number[] = [];
    for (const end = now() + time; began.length === 0 || (now() < end && began.length < enough);) {
      await tree.write('www/index.html', String(began.length + 1));
      began.push(now());
      await must(node.svc(['push'], { cwd: tree.dir }));
      await until('its receipt is final', async () => {
        const [newest] = await deploymentsOf(node, service);
        return typeof newest?.receipt?.finished_at === 'string';
      });
      process.stderr.write(`\r${title}: ${began.length} rollouts, ${load.failures.length} failures `);
      await pause(around);
    }
    await load.stop();
    process.stderr.write(`\n${[...new Set(load.failures)].slice(0, 5).join('\n')}`);
    const receipts = (await deploymentsOf(node, service)).flatMap(({ receipt }) => receipt ?? []);
    const missed = receipts.reduce((sum, { failed, aborted }) => sum + failed + aborted, 0);
    return row(title, load.samples, began, missed);
  } finally {
    await must(node.svc(['stop', `demo/${name}`]));
    await tree.remove();
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function row(title: string, samples: readonly Sample[], began: readonly number[], missed: number): string[] {
  const waits = samples.map(({ due, ended }) => ended - due);
  const failed = samples.filter(({ text }) => text === undefined).length;
  const moved = began.map((at, n) => {
    const old = samples.filter(({ due, text }) => due >= at && text === String(n)).map(({ due }) => due);
    return old.reduce((last, due) => Math.max(last, due), at) - at;
  });
  const times = [samples[0]?.due ?? 0, samples.at(-1)?.due ?? 0] as const;
  const ms = (value: number): string => value.toFixed(0);
  const longest = waits.reduce((a, b) => Math.max(a, b), 0);
  const { median, max } = summarise(moved);
  return [
    ...[
      title,
      String(began.length),
      String(samples.length),
      ms((samples.length * 1_000) / (times[1] - times[0])),
    ],
    ...[String(failed), String(missed), ms(median), ms(max)],
    ...[percentile(waits, 0.5).toFixed(1), ms(percentile(waits, 0.99)), ms(longest)],
  ];
}
