/**
 * Long work that a pass starts, finds again and follows: builds and pulls. At most one per key, a few at once per group,
 * each under a limit. Jobs live in memory only: after a restart the next pass finds none and starts it anew.
 *
 * A job that settled keeps its result until it is forgotten. One that is aborted, or is over its limit, still occupies its
 * key and its place in the group until it has ended in fact (or its grace has passed): never two of one key at once.
 */
import PQueue from 'p-queue';
import type { Clock } from '../../specs/clock.ts';
import { fenced } from './fence.ts';

export type Job<T> =
  /** `position` 1 is the next one of its group. */
  | { state: 'queued'; position: number }
  | { state: 'running' }
  | { state: 'done'; result: T }
  /** The error is a DeadlineError when the job was over its limit, and a CancelledError when it was cancelled. */
  | { state: 'failed'; error: unknown };

/** The job was cancelled, or the node stops. */
export class CancelledError extends Error {
  constructor() {
    super('it was cancelled before it was done');
    this.name = 'CancelledError';
  }
}

export interface JobsOptions {
  clock: Clock;
  /** How many jobs of a group run at once; 1 where it says nothing. */
  concurrency?: Readonly<Record<string, number>>;
  /** Milliseconds that a job may run; the wait for its turn does not count. */
  deadline: number;
  /** Milliseconds that a job has to end once it was aborted. */
  grace: number;
  /**
   * Called when a job is done or failed, and when the key of a forgotten one is free again, to wake whoever follows it.
   * Must not throw. Not called while closing.
   */
  onSettled: (key: string) => void;
}

interface Entry<T> {
  readonly group: string;
  readonly run: (signal: AbortSignal) => Promise<T>;
  readonly deadline: number;
  readonly abort: AbortController;
  /** Without the position, which is found when asked for. */
  job: { state: 'queued' } | Exclude<Job<T>, { state: 'queued' }>;
  /** Over in fact, not only in name. */
  ended: boolean;
  /** Goes as soon as it has ended. */
  forgotten: boolean;
}

export class Jobs<T> {
  readonly #options: JobsOptions;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #groups = new Map<string, PQueue>();
  #closed = false;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /**
   * Starts a job, or queues it, unless the key has one already, in whatever state. Throws a CancelledError after close().
   * @param run must give up when the signal aborts
   * @param options.deadline milliseconds, where the limit is not the usual one
   */
  ensure(
    key: string,
    run: (signal: AbortSignal) => Promise<T>,
    options: { group: string; deadline?: number },
  ): Job<T> {
    const found = this.find(key);
    if (found) return found;
    if (this.#closed) throw new CancelledError();
    const { group, deadline = this.#options.deadline } = options;
    const abort = new AbortController();
    const entry: Entry<T> = {
      group,
      run,
      deadline,
      abort,
      job: { state: 'queued' },
      ended: false,
      forgotten: false,
    };
    this.#entries.set(key, entry);
    void this.#group(group).add(() => this.#work(key, entry));
    return this.#view(key, entry);
  }

  /**
   * Runs a part of a job in another group than its own: waits there for its turn, and occupies a place while it runs. It
   * goes under the limit of the job that it is a part of.
   * @param signal of that job; one that waits rejects with its reason at once
   */
  turn<R>(group: string, run: (signal: AbortSignal) => Promise<R>, signal: AbortSignal): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    const giveUp = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
    // Not p-queue's own signal, which gives up the place of what still runs.
    const part = async (): Promise<void> => {
      signal.removeEventListener('abort', giveUp);
      if (signal.aborted) giveUp();
      else await run(signal).then(resolve, reject);
    };
    void this.#group(group).add(part);
    return promise;
  }

  /** Where the job of this key stands; undefined when there is none. */
  find(key: string): Job<T> | undefined {
    const entry = this.#entries.get(key);
    return entry && this.#view(key, entry);
  }

  /** Aborts a job. One that waits fails at once, one that runs as soon as it gives up. Does nothing to a settled one. */
  cancel(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.abort.abort(new CancelledError());
    if (entry.job.state !== 'queued') return;
    entry.ended = true;
    this.#settle(key, entry, { state: 'failed', error: entry.abort.signal.reason });
  }

  /** Drops the job of this key and its result. One that has not ended is cancelled, and goes once it has. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.forgotten = true;
    this.cancel(key);
    this.#tidy(key, entry);
  }

  /** Takes no more jobs, aborts all, and resolves once every one has ended or its grace has passed. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const key of this.#entries.keys()) this.cancel(key);
    await Promise.all([...this.#groups.values()].map((group) => group.onIdle()));
  }

  // Private

  #group(name: string): PQueue {
    let group = this.#groups.get(name);
    if (!group) {
      group = new PQueue({ concurrency: this.#options.concurrency?.[name] ?? 1 });
      this.#groups.set(name, group);
    }
    return group;
  }

  /** Occupies one of the group's places until the job has ended. */
  async #work(key: string, entry: Entry<T>): Promise<void> {
    if (entry.job.state !== 'queued') return;
    entry.job = { state: 'running' };
    const { clock, grace } = this.#options;
    const { deadline, abort } = entry;
    const outcome = await fenced(entry.run, {
      clock,
      deadline,
      grace,
      patience: grace,
      signal: abort.signal,
    });
    entry.ended = outcome.how !== 'abandoned';
    if (outcome.how === 'done') this.#settle(key, entry, { state: 'done', result: outcome.value });
    else
      this.#settle(key, entry, {
        state: 'failed',
        error: abort.signal.aborted ? abort.signal.reason : outcome.error,
      });
    if (outcome.how !== 'abandoned') return;
    await outcome.ended;
    entry.ended = true;
    if (!entry.forgotten) return;
    this.#tidy(key, entry);
    if (!this.#closed) this.#options.onSettled(key);
  }

  #settle(key: string, entry: Entry<T>, job: Entry<T>['job']): void {
    entry.job = job;
    this.#tidy(key, entry);
    if (!this.#closed) this.#options.onSettled(key);
  }

  #tidy(key: string, entry: Entry<T>): void {
    if (entry.forgotten && entry.ended && this.#entries.get(key) === entry) this.#entries.delete(key);
  }

  #view(key: string, entry: Entry<T>): Job<T> {
    if (entry.job.state !== 'queued') return entry.job;
    let position = 1;
    for (const [other, { group, job }] of this.#entries) {
      if (other === key) break;
      if (group === entry.group && job.state === 'queued') position++;
    }
    return { state: 'queued', position };
  }
}
