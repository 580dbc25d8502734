/**
 * The keyed work queue: which key gets a pass, and when. p-queue limits how many run at once; what it has no notion of is
 * here: keys. It knows nothing of what a pass does.
 *
 * INVARIANTS
 * - Never two passes over one key at once. A pass that was abandoned but still runs blocks its key until it ends, or until
 *   its grace has passed and it is taken for stuck.
 * - A wake is never lost: a key that is woken while it runs gets one more pass afterwards. Wakes before that are merged.
 * - Of several delays of a key the earliest wins. A pass does not take back a delay that was asked for before it.
 * - A key that failed is tried again for as long as it fails, with backoff; an event brings the next try forward only as
 *   far as the floor in backoff.ts, a new generation at once.
 * - A key with nothing to wait for occupies no memory.
 *
 *            wake                 slot              verdict
 *   idle ───────────▶ ready ───────────▶ running ───────────▶ idle   (woken meanwhile: ready again)
 *    ▲ delay, floor                         │ over its deadline
 *    └──────────── ended or stuck ◀── blocked
 */
import PQueue from 'p-queue';
import type { Clock, Random } from '../../specs/clock.ts';
import { afterFailure, eventFloor, isNew, type Backoff } from './backoff.ts';

export type Priority = 'normal' | 'low';

/** How a pass ended, as far as the queue has to know. */
export type Verdict =
  | { result: 'done'; after?: number }
  /** `generation` of the row that failed, if it could be read. */
  | { result: 'failed'; error: unknown; generation?: number | undefined }
  /** `ended` resolves when the pass is over in fact, or its grace has passed. */
  | { result: 'abandoned'; error: unknown; ended: Promise<void> };

export interface Retry {
  error: unknown;
  /** In a row, at this generation. */
  failures: number;
  /** Milliseconds until the next try, at the latest. */
  delay: number;
}

interface QueueObserver {
  /** A key became ready. Merged wakes do not count. */
  added(): void;
  /** Milliseconds from ready to running. */
  waited(ms: number): void;
  /** A pass failed or was abandoned, and its key is tried again. */
  retried(key: string, retry: Retry): void;
}

export interface WorkQueueOptions {
  /** One pass; a rejection is a failure too. The signal aborts when the queue closes. */
  work: (key: string, signal: AbortSignal) => Promise<Verdict>;
  concurrency: number;
  clock: Clock;
  random: Random;
  observer: QueueObserver;
}

export interface Wake {
  /** Low: a resync, which lets everything else go first. A later normal wake raises it. */
  priority?: Priority;
  /** Generation of the row, where the waker knows it. One that has not failed yet is tried at once. */
  generation?: number;
}

interface Entry {
  readonly key: string;
  phase: 'idle' | 'ready' | 'running' | 'blocked';
  /** When it became ready. */
  since: number;
  /** Woken while running or blocked. */
  again: Priority | undefined;
  delay: { at: number; ms: number; cancel: () => void } | undefined;
  backoff: Backoff | undefined;
  /** Until then an event does not start it; wall clock. */
  floor: number;
}

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #limit: PQueue;
  readonly #entries = new Map<string, Entry>();
  readonly #ready: Record<Priority, Set<Entry>> = { normal: new Set(), low: new Set() };
  readonly #closing = new AbortController();

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#limit = new PQueue({ concurrency: options.concurrency });
  }

  /** Keys that wait for a slot. */
  get depth(): number {
    return this.#ready.normal.size + this.#ready.low.size;
  }

  /** Keys that the queue remembers anything of: ready, running, blocked, delayed or failing. */
  get size(): number {
    return this.#entries.size;
  }

  /** Asks for a pass as soon as there is a slot. Does nothing once the queue is closed. */
  add(key: string, wake: Wake = {}): void {
    if (this.#closing.signal.aborted) return;
    const entry = this.#entry(key);
    if (entry.backoff && isNew(entry.backoff, wake.generation)) this.#relent(entry);
    this.#wake(entry, wake.priority ?? 'normal');
  }

  /**
   * Asks for a pass in `ms` milliseconds, or earlier if something else asks for it.
   * Throws a RangeError for what is not a finite number.
   */
  addAfter(key: string, ms: number): void {
    if (!Number.isFinite(ms))
      throw new RangeError(`a delay of ${ms} ms: give a finite number of milliseconds`);
    if (!this.#closing.signal.aborted) this.#delay(this.#entry(key), Math.max(0, ms));
  }

  /** Drops failures and delays of a key that is gone for good. A pass that is due or under way still takes place. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#relent(entry);
    entry.delay?.cancel();
    entry.delay = undefined;
    this.#tidy(entry);
  }

  /** Takes no more keys, aborts what runs, and resolves once every running pass ended or was abandoned. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the node is stopping'));
    this.#ready.normal.clear();
    this.#ready.low.clear();
    for (const entry of this.#entries.values()) entry.delay?.cancel();
    this.#entries.clear();
    await this.#limit.onIdle();
  }

  // Private

  #entry(key: string): Entry {
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = {
        key,
        phase: 'idle',
        since: 0,
        again: undefined,
        delay: undefined,
        backoff: undefined,
        floor: 0,
      };
      this.#entries.set(key, entry);
    }
    return entry;
  }

  #wake(entry: Entry, priority: Priority): void {
    if (entry.phase === 'ready') {
      if (priority === 'normal' && this.#ready.low.delete(entry)) this.#ready.normal.add(entry);
      return;
    }
    if (entry.phase !== 'idle') {
      entry.again = entry.again === 'normal' ? 'normal' : priority;
      return;
    }
    const wait = entry.backoff
      ? Math.min(entry.floor - this.#options.clock.now(), eventFloor(entry.backoff))
      : 0;
    if (wait > 0) {
      this.#delay(entry, wait);
      return;
    }
    this.#enqueue(entry, priority);
  }

  #enqueue(entry: Entry, priority: Priority): void {
    entry.phase = 'ready';
    entry.since = this.#options.clock.now();
    this.#ready[priority].add(entry);
    this.#options.observer.added();
    // A task that waits for a slot will take this key too: one is enough for any number of keys. (A task per key would
    // cost 10 µs and 2 kB each, and 10,000 keys at once are no rarity.)
    if (this.#limit.size === 0) void this.#limit.add(() => this.#takeAll());
  }

  /** Runs in a slot of p-queue for as long as there are keys. */
  async #takeAll(): Promise<void> {
    // Not within the call that woke the key: that may be a store that is telling its listeners of a commit.
    await Promise.resolve();
    for (let entry = this.#take(); entry; entry = this.#take()) await this.#pass(entry);
  }

  #take(): Entry | undefined {
    for (const ready of [this.#ready.normal, this.#ready.low]) {
      for (const entry of ready) {
        ready.delete(entry);
        return entry;
      }
    }
    return undefined;
  }

  async #pass(entry: Entry): Promise<void> {
    const { clock, observer } = this.#options;
    entry.phase = 'running';
    observer.waited(Math.max(0, clock.now() - entry.since));
    const verdict = await this.#work(entry.key);
    if (this.#closing.signal.aborted) return;
    if (verdict.result === 'done') {
      entry.backoff = undefined;
      if (verdict.after !== undefined) this.#delay(entry, verdict.after);
    } else {
      this.#fail(entry, verdict.error, verdict.result === 'failed' ? verdict.generation : undefined);
    }
    if (verdict.result !== 'abandoned') {
      this.#release(entry);
      return;
    }
    entry.phase = 'blocked';
    void verdict.ended.then(() => this.#release(entry));
  }

  async #work(key: string): Promise<Verdict> {
    try {
      return await this.#options.work(key, this.#closing.signal);
    } catch (error) {
      return { result: 'failed', error };
    }
  }

  #fail(entry: Entry, error: unknown, generation: number | undefined): void {
    const { clock, random, observer } = this.#options;
    entry.backoff = afterFailure(entry.backoff, generation, random);
    entry.floor = clock.now() + eventFloor(entry.backoff);
    this.#delay(entry, entry.backoff.delay);
    observer.retried(entry.key, { error, failures: entry.backoff.failures, delay: entry.backoff.delay });
  }

  #release(entry: Entry): void {
    if (this.#closing.signal.aborted) return;
    entry.phase = 'idle';
    const again = entry.again;
    entry.again = undefined;
    if (again) this.#wake(entry, again);
    else this.#tidy(entry);
  }

  #delay(entry: Entry, ms: number): void {
    const { clock } = this.#options;
    const now = clock.now();
    // What is left of a delay is never more than it was, even if the wall clock was set back meanwhile.
    if (entry.delay && Math.min(entry.delay.at - now, entry.delay.ms) <= ms) return;
    entry.delay?.cancel();
    const cancel = clock.after(ms, () => {
      entry.delay = undefined;
      entry.floor = 0;
      this.#wake(entry, 'normal');
    });
    entry.delay = { at: now + ms, ms, cancel };
  }

  /** A failure counts no longer. */
  #relent(entry: Entry): void {
    entry.backoff = undefined;
    entry.floor = 0;
  }

  #tidy(entry: Entry): void {
    if (entry.phase === 'idle' && !entry.delay && !entry.backoff) this.#entries.delete(entry.key);
  }
}
