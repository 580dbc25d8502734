/**
 * Wakes every key of a kind now and then, at low priority, because events get lost. The first round goes as fast as its
 * pages can be listed; later ones are spread over the interval page by page, so that they are never a burst.
 */
import type { Clock, Random } from '../../specs/clock.ts';
import { between } from './jitter.ts';
import type { Log } from './log.ts';

export interface ResyncOptions {
  /** Up to `limit` ids that follow `before`, or the first ones. Fewer mean that those were the last. */
  list: (before: string | undefined, limit: number) => Promise<readonly string[]>;
  add: (id: string) => void;
  /** Milliseconds that a round takes, give or take a tenth. */
  interval: number;
  /** Ids per page: what is woken at one moment. */
  page: number;
  clock: Clock;
  random: Random;
  log: Log;
}

export interface Resync {
  /** Resolves once every key has been added that was there at the start, or with the stop. */
  first: Promise<void>;
  stop(): void;
}

/** Milliseconds before a page that could not be listed is tried again. */
const retryAfter = 5_000;

/** Milliseconds between pages in a round that has more of them than the one before. */
const overtime = 1_000;

/** Where a round stands. */
interface Round {
  first: boolean;
  pages: number;
  pagesBefore: number;
  before: string | undefined;
}

/** Starts the first round at once. */
export function startResync(options: ResyncOptions): Resync {
  const { clock, random, log } = options;
  const first = Promise.withResolvers<undefined>();
  const round: Round = { first: true, pages: 0, pagesBefore: 1, before: undefined };
  let stopped = false;
  let cancel: () => void = () => undefined;

  const step = async () => {
    let pause = retryAfter;
    try {
      const ids = await options.list(round.before, options.page);
      if (stopped) return;
      for (const id of ids) options.add(id);
      pause = turn(round, ids, options);
      if (!round.first) first.resolve(undefined);
    } catch (error) {
      log.warn({ err: error }, 'resync could not list its keys, will be tried again');
    }
    if (!stopped) cancel = clock.after(pause * between(0.9, 1.1, random), () => void step());
  };

  void step();
  return {
    first: first.promise,
    stop() {
      stopped = true;
      cancel();
      first.resolve(undefined);
    },
  };
}

/** Turns the page. @returns milliseconds until the next one */
function turn(round: Round, ids: readonly string[], { page, interval }: ResyncOptions): number {
  round.pages++;
  round.before = ids.at(-1);
  const { first, pages, pagesBefore } = round;
  if (ids.length < page) {
    Object.assign(round, { first: false, pages: 0, pagesBefore: pages, before: undefined } satisfies Round);
    return interval / pages;
  }
  if (first) return 0;
  return pages < pagesBefore ? interval / pagesBefore : overtime;
}
