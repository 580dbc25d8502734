/**
 * Follows what running containers print into the log files: each from where it was left, and again when the engine comes
 * back. The files, not the engine, are what people read: they outlive the containers, and hold no secret.
 */
import { leadLines } from '../../specs/mask.ts';
import { EngineError } from '../engine/engine.ts';
import type { Log } from '../runtime/log.ts';
import { copy, type CopyDeps, type Followed } from './copy.ts';
import { createFloods } from './flood.ts';
import { pause } from './pause.ts';
import type { WorkloadLogs } from './workload-logs.ts';

export type { Followed } from './copy.ts';

export interface Follower {
  /** Does nothing while this container of the replica is being followed. One that has stopped is read to its end. */
  follow(target: Followed): void;
  /**
   * The last lines that a replica printed, oldest first, with those that its container printed just before it died; also
   * when nobody followed it. Where the engine is out of reach, what is kept has to do.
   */
  last(target: Followed, count: number): Promise<string[]>;
  /** Takes what is left of a container that is stopped or going, for a moment, and forgets it. */
  stop(replica: string): Promise<void>;
  close(): Promise<void>;
}

export interface FollowerDeps extends Omit<CopyDeps, 'floods' | 'logs'> {
  logs: CopyDeps['logs'] & Pick<WorkloadLogs, 'end' | 'read'>;
  log: Pick<Log, 'debug' | 'warn'>;
}

type Deps = FollowerDeps & CopyDeps;

/** Milliseconds from a broken stream to the next try: the first, doubling up to the last. */
const backoff = { first: 250, last: 10_000 };
/** Milliseconds that `last` and `stop` wait for the engine. */
const patience = { last: 5_000, stop: 2_000 };

/** Work on a replica's output; one at a time per replica, so that no line is kept twice. */
interface Following {
  /** `rest`: not following, but reading to the end of what is there. */
  work: 'follow' | 'rest';
  target: Followed;
  abort: AbortController;
  /** The container is going: a stream that breaks is not taken up again. */
  leaving: boolean;
  /** What to follow once this has ended. */
  next: Followed | undefined;
  ended: Promise<void>;
}

export function openFollower(given: FollowerDeps): Follower {
  const { clock, logs } = given;
  const deps: Deps = { ...given, floods: createFloods(clock) };
  const all = new Map<string, Following>();
  let closed = false;

  /** Takes the place of what works on this replica now, once that has ended. */
  const begin = (work: Following['work'], target: Followed): Following => {
    const before = all.get(target.replica);
    before?.abort.abort();
    const following: Following = {
      ...{ work, target, abort: new AbortController(), leaving: false, next: undefined },
      ended: Promise.resolve(),
    };
    all.set(target.replica, following);
    following.ended = (before?.ended ?? Promise.resolve())
      .then(() => (work === 'follow' ? run(following, deps) : readRest(following, deps)))
      .finally(() => {
        if (all.get(target.replica) !== following) return;
        all.delete(target.replica);
        if (following.next && !following.leaving && !closed) begin('follow', following.next);
        else logs.end(target);
      });
    return following;
  };

  return {
    follow(target) {
      const known = all.get(target.replica);
      if (closed) return;
      if (known?.work === 'rest') known.next = target;
      else if (known?.target.container !== target.container) begin('follow', target);
      else logs.begin(target);
    },
    async last(target, count) {
      const known = all.get(target.replica);
      const rest = known?.work === 'rest' ? known : begin('rest', target);
      if (known?.work === 'follow' && !known.leaving) rest.next = known.target;
      await rest.ended;
      return lastLines(target, count, deps);
    },
    async stop(replica) {
      const following = all.get(replica);
      if (!following) return;
      following.leaving = true;
      const cancel = clock.after(patience.stop, () => following.abort.abort());
      await following.ended;
      cancel();
    },
    async close() {
      closed = true;
      for (const { abort } of all.values()) abort.abort();
      await Promise.all([...all.values()].map(({ ended }) => ended));
    },
  };
}

/** From the files. What has become secret since they were written is hidden as well. */
async function lastLines(
  { replica, projectId, serviceId }: Followed,
  count: number,
  { logs, masks }: FollowerDeps,
): Promise<string[]> {
  const held = masks.held(projectId);
  for await (const { line } of logs.read(serviceId, { replica, tail: count + leadLines }))
    held.push(line.stream, line.line, undefined);
  return held
    .take()
    .slice(-count)
    .map(({ line }) => line);
}

/** What a container has printed by now. Never rejects. */
async function readRest({ target, abort }: Following, deps: Deps): Promise<void> {
  const cancel = deps.clock.after(patience.last, () => abort.abort());
  try {
    await copy(target, { follow: false, signal: abort.signal }, deps);
  } catch (error) {
    deps.log.debug({ err: error, replica: target.replica }, 'the last output of a replica cannot be read');
  } finally {
    cancel();
  }
}

/** Until the container has stopped, is gone, or nobody wants its output any more. Never rejects. */
async function run(following: Following, deps: Deps): Promise<void> {
  const { target, abort } = following;
  const { signal } = abort;
  for (let wait = backoff.first; !signal.aborted; wait = Math.min(wait * 2, backoff.last)) {
    try {
      await copy(target, { follow: true, signal, onLine: () => (wait = backoff.first) }, deps);
      return;
    } catch (error) {
      if (isOver(following) || (error instanceof EngineError && error.code === 'not_found')) return;
      const level = wait === backoff.first ? 'warn' : 'debug';
      const fields = { err: error, replica: target.replica };
      deps.log[level](fields, 'the output of a replica broke off, following it again');
    }
    await pause(wait, signal, deps.clock);
  }
}

/** A function, so that what was true before an await is asked again. */
function isOver({ abort, leaving }: Following): boolean {
  return abort.signal.aborted || leaving;
}
