/** The work of a queue, ended by hand. A second pass over a key throws while one is alive. */
import {
  WorkQueue,
  type Retry,
  type Verdict,
  type WorkQueueOptions,
} from '../../controllers/runtime/work-queue.ts';
import { ManualClock } from './manual-clock.ts';

interface Pass {
  signal: AbortSignal;
  conclude: (verdict: Verdict) => void;
}

export class ManualPasses {
  /** Keys in the order in which their passes started. */
  readonly started: string[] = [];
  readonly retries: ({ key: string } & Retry)[] = [];
  readonly waits: number[] = [];
  /** Keys that got a second pass while one was alive. */
  readonly overlaps: string[] = [];
  added = 0;
  /** Most passes at once so far. */
  peak = 0;
  private readonly live = new Map<string, Pass>();
  private readonly ends = new Map<string, () => void>();

  readonly observer: WorkQueueOptions['observer'] = {
    added: () => {
      this.added++;
    },
    waited: (ms) => void this.waits.push(ms),
    retried: (key, retry) => void this.retries.push({ key, ...retry }),
  };

  readonly work = (key: string, signal: AbortSignal): Promise<Verdict> => {
    if (this.isBusy(key)) {
      this.overlaps.push(key);
      throw new Error(`two passes over ${key} at once`);
    }
    this.started.push(key);
    return new Promise((conclude) => {
      this.live.set(key, { signal, conclude });
      this.peak = Math.max(this.peak, this.live.size);
    });
  };

  get running(): string[] {
    return [...this.live.keys()].sort();
  }

  /** Running, or abandoned and not yet ended. */
  isBusy(key: string): boolean {
    return this.live.has(key) || this.ends.has(key);
  }

  signalOf(key: string): AbortSignal {
    return this.pass(key).signal;
  }

  done(key: string, after?: number): void {
    this.conclude(key, after === undefined ? { result: 'done' } : { result: 'done', after });
  }

  fail(key: string, generation?: number): void {
    this.conclude(key, { result: 'failed', error: new Error('planned'), generation });
  }

  abandon(key: string): void {
    const ended = new Promise<void>((resolve) => this.ends.set(key, resolve));
    this.conclude(key, { result: 'abandoned', error: new Error('late'), ended });
  }

  /** Lets an abandoned pass end. */
  end(key: string): void {
    const end = this.ends.get(key);
    if (!end) throw new Error(`${key} was not abandoned`);
    this.ends.delete(key);
    end();
  }

  private conclude(key: string, verdict: Verdict): void {
    const { conclude } = this.pass(key);
    this.live.delete(key);
    conclude(verdict);
  }

  private pass(key: string): Pass {
    const pass = this.live.get(key);
    if (!pass) throw new Error(`no pass over ${key} is running`);
    return pass;
  }
}

/**
 * A queue over such work, under a clock driven by hand and with no jitter (delays are 5, 10, 20 … ms).
 * `jump.by` is how far the wall clock was set forward.
 */
export function manualQueue(concurrency = 2) {
  const clock = new ManualClock();
  const jump = { by: 0 };
  const time = { now: () => clock.now() + jump.by, after: clock.after.bind(clock) };
  const passes = new ManualPasses();
  const { work, observer } = passes;
  const random = (count: number) => new Uint8Array(count).fill(255);
  const queue = new WorkQueue({ concurrency, clock: time, random, work, observer });
  return { queue, passes, clock, jump, settle: () => clock.advance(0) };
}
