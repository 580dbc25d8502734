/**
 * Follows what runs print into their logs, from where it was left: neither a restart of the node nor one of the engine loses
 * lines or doubles them. No secret gets there. A log that is full takes no more; a run that floods is slowed down nevertheless.
 */
import type { Clock } from '../../specs/clock.ts';
import type { RunLogLine } from '../../specs/log-entry.ts';
import { leadLines, type Masks } from '../../specs/mask.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import { createBrake, type BrakeDeps } from '../logs/brake.ts';
import { costOf, createFloods, type Floods } from '../logs/flood.ts';
import { pause } from '../logs/pause.ts';
import { holdLines } from '../logs/hold.ts';
import { isAfter } from '../logs/instant.ts';
import type { RunLogs } from '../logs/run-logs.ts';
import type { Log } from '../runtime/log.ts';

/** One try. */
export interface Try {
  run: string;
  project: string;
  number: number;
  container: string;
}

export interface RunOutput {
  /** Does nothing while this try is being followed, or was to its end. */
  follow(target: Try): void;
  /** Takes what is left of it, for a moment, and stops following the run. */
  drain(run: string): Promise<void>;
  close(): Promise<void>;
}

export interface RunOutputDeps {
  engine: Pick<Engine, 'replicaLogs'> & BrakeDeps['engine'];
  logs: Pick<RunLogs, 'append' | 'flush' | 'tail' | 'isFull'>;
  masks: Pick<Masks, 'held'>;
  clock: Clock;
  log: Pick<Log, 'debug' | 'warn'>;
}

/** Milliseconds from a broken stream to the next try, and for which the rest of a stopped container is waited for. */
const times = { retry: 1_000, drain: 10_000 };
/** Characters that may wait for the disk before the engine has to. */
const unwritten = 2 ** 20;

type Deps = RunOutputDeps & { floods: Floods };

interface Following {
  target: Try;
  abort: AbortController;
  /** The container is going: a stream that breaks is not taken up again. */
  leaving: boolean;
  /** Its log is: nothing of what is left is wanted. */
  isFull: boolean;
  ended: Promise<void>;
}

export function openRunOutput(given: RunOutputDeps): RunOutput {
  const deps: Deps = { ...given, floods: createFloods(given.clock) };
  const all = new Map<string, Following>();
  let closed = false;
  return {
    follow(target) {
      const before = all.get(target.run);
      if (closed || before?.target.container === target.container) return;
      before?.abort.abort();
      const following: Following = {
        ...{ target, abort: new AbortController(), leaving: false, isFull: false },
        ended: Promise.resolve(),
      };
      all.set(target.run, following);
      following.ended = (before?.ended ?? Promise.resolve()).then(() => work(following, deps));
    },
    async drain(run) {
      const following = all.get(run);
      if (!following) return;
      following.leaving = true;
      if (following.isFull) following.abort.abort();
      const cancel = deps.clock.after(times.drain, () => following.abort.abort());
      await following.ended;
      await takeRest(following, deps);
      cancel();
      if (all.get(run) === following) all.delete(run);
    },
    async close() {
      closed = true;
      for (const { abort } of all.values()) abort.abort();
      await Promise.all([...all.values()].map(({ ended }) => ended));
    },
  };
}

/** Until the container has stopped, is gone, or nobody wants its output any more. Never rejects. */
async function work(following: Following, deps: Deps): Promise<void> {
  const { target, abort } = following;
  const { signal } = abort;
  while (!signal.aborted) {
    try {
      await copy(following, deps, { follow: true });
      return;
    } catch (error) {
      if (isOver(following) || (error instanceof EngineError && error.code === 'not_found')) return;
      deps.log.warn({ err: error, run: target.run }, 'the output of a run broke off, following it again');
    }
    await pause(times.retry, signal, deps.clock);
  }
}

/**
 * Last words without a line end: Docker keeps them once it has read to the end, and often has told those who follow that there
 * is no more by then (seen with 28.2). A container that has ended has kept them. Never rejects.
 */
async function takeRest(following: Following, deps: Deps): Promise<void> {
  if (following.abort.signal.aborted || following.isFull) return;
  try {
    await copy(following, deps, { follow: false });
  } catch (error) {
    if (error instanceof EngineError && error.code === 'not_found') return;
    deps.log.warn(
      { err: error, run: following.target.run },
      'the end of the output of a run could not be read',
    );
  }
}

/** A function, so that what was true before an await is asked again. */
function isOver({ abort, leaving }: Following): boolean {
  return abort.signal.aborted || leaving;
}

/** Copies what is new from the engine to the log, until the engine has no more. Resolves once it is all written. */
async function copy(following: Following, deps: Deps, { follow }: { follow: boolean }): Promise<void> {
  const { run, project, number, container } = following.target;
  const { signal } = following.abort;
  const { engine, logs, masks, clock, log, floods } = deps;
  const kept = await lastLines(run, number, logs);
  const isNew = newerThan(kept);
  const [first] = kept;
  const options = { follow, signal, ...(first ? { since: first.at } : {}) };
  const gate = floods.open();
  const brake = createBrake(container, gate, { engine, clock, log });
  let waiting = 0;
  const hold = holdLines<Omit<RunLogLine, 'line'> | undefined>(masks.held(project), clock, (line, kept) => {
    if (!kept) return;
    logs.append(run, { ...kept, line });
    waiting += line.length;
  });
  try {
    for await (const { at, stream, line } of engine.replicaLogs(container, options)) {
      const ms = gate.read(costOf(line));
      if (gate.isFlooding()) brake.hold();
      if (ms > 0 && !following.leaving) await pause(ms, signal, clock);
      if (following.isFull) continue;
      // Also what is kept: only the engine still has it as it was printed.
      hold.push(stream, line, isNew(at) ? { event: 'log', at, try: number, stream } : undefined);
      if (waiting < unwritten) continue;
      await logs.flush(run);
      waiting = 0;
      following.isFull = await logs.isFull(run);
      if (following.isFull && following.leaving) break;
    }
  } finally {
    hold.flush();
    await brake.release();
    gate.close();
    await logs.flush(run);
  }
}

/** The last lines of this try that are kept, oldest first: as many as a secret may be split over. */
async function lastLines(run: string, number: number, logs: RunOutputDeps['logs']): Promise<RunLogLine[]> {
  const items = await logs.tail(run, leadLines);
  return items.flatMap(({ entry }) => (entry.event === 'log' && entry.try === number ? [entry] : []));
}

/** The engine's `since` is inclusive, and several lines may have one time: those that are kept come first, as they did then. */
function newerThan(kept: readonly RunLogLine[]): (at: string) => boolean {
  const last = kept.at(-1);
  let known = last ? kept.filter(({ at }) => at === last.at).length : 0;
  return (at) => {
    if (last === undefined || isAfter(at, last.at)) return true;
    if (isAfter(last.at, at)) return false;
    return known-- <= 0;
  };
}
