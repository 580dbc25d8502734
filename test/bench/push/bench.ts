/** `npm run bench -- push`: `svc push` beside the same engine driven by hand, in turns. */
import { app, serving } from '../../support/apps.ts';
import { byHand } from './by-hand.ts';
import { bySvc, target } from './by-svc.ts';
import { now } from './clock.ts';
import { report, type Pair } from './report.ts';

interface Variant {
  title: string;
  /** Whether what is pushed is new in every round. */
  changes: boolean;
}

const variants: readonly Variant[] = [
  { title: 'Warm cache: nothing has changed', changes: false },
  { title: 'Small change: the layer of the files is built anew', changes: true },
];
const warmUp = 3;
const enough = 40;

export async function benchPush(seconds: number): Promise<void> {
  await using stack = new AsyncDisposableStack();
  // A tree for each, so that neither fills the builder's cache for the other.
  const trees = {
    svc: await app(target, { Dockerfile: serving }),
    hand: await app('', { Dockerfile: serving }),
  };
  for (const tree of Object.values(trees)) {
    stack.defer(() => tree.remove());
    await tree.write('www/index.html', 'trial');
  }
  const svc = await bySvc();
  stack.defer(() => svc.close());
  const hand = await byHand(svc.endpoint, trees.hand.dir);
  stack.defer(() => hand.close());

  const onePair = async (content: string): Promise<Pair> => {
    const [ofSvc, ofHand] = [`${content} by svc`, `${content} by hand`];
    await trees.svc.write('www/index.html', ofSvc);
    await trees.hand.write('www/index.html', ofHand);
    return { svc: await svc.round(trees.svc.dir, ofSvc), hand: await hand.round(trees.hand.dir, ofHand) };
  };
  for (const { title, changes } of variants) {
    const content = (round: number): string => `${title}${changes ? ` ${round} ${now()}` : ''}`;
    for (let round = 0; round < warmUp; round += 1) await onePair(content(-round));
    const pairs: Pair[] = [];
    for (const end = now() + (seconds * 1_000) / variants.length; now() < end && pairs.length < enough;)
      pairs.push(await onePair(content(pairs.length + 1)));
    process.stdout.write(`${report(title, pairs)}\n`);
  }
}
