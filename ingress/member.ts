/**
 * What the worker and the bridge have in common as processes: started with one argument, fed from home, drained when
 * told to or on SIGTERM, and never ended by an error of one connection.
 */
import { controlSocket } from './run-dir.ts';
import { dialHome, type Home } from './home.ts';
import { loadOnly, parseProcessOptions, type ProcessOptions } from './process-options.ts';
import { protocolVersion, type DrainLimits, type Report } from './protocol.ts';
import { readSnapshot } from './snapshot-file.ts';
import type { Snapshot } from './snapshot.ts';
import type { TrafficChanges } from './traffic.ts';

/** Milliseconds between two tellings of what was counted. */
const tellEvery = 1_000;

/** Without a control plane to say otherwise. */
const drainOnSignal: DrainLimits = { idle_ms: 0, limit_ms: 10_000 };

export type ReportProblem = (message: string, fields: Report['fields']) => void;

/** What a process does with what it is fed. */
export interface Body {
  /** Goes by the snapshot from when this resolves on. */
  apply(snapshot: Snapshot): void | Promise<void>;
  /** Ids of replicas that the newest snapshot does not route but that have requests under way. */
  busy(): string[];
  /** What was counted since the last call, or all of it. */
  traffic?(all: boolean): TrafficChanges | undefined;
  /** Listens no more and resolves once nothing is under way, at the latest after the limit. */
  drain(limits: DrainLimits): Promise<void>;
  /** Seals session tickets with these from now on. @param keys 48 bytes */
  tickets?(keys: Buffer): void;
}

export interface MemberProcess {
  options: ProcessOptions;
  /** The last good snapshot on disk. */
  saved: Snapshot | undefined;
  /** To the control plane's log; to the process's own while there is none. */
  report: ReportProblem;
  /** Tells that the last request of a replica has ended that is no longer routed. */
  idle(replica: string): void;
  /** There is something to tell of what was counted: it is told in a moment. */
  counted(): void;
  /** Dials home, for ever. To be called once it serves. */
  attend(body: Body): void;
}

/** Call first thing in an entry point. */
export function startMember(): MemberProcess {
  // Everything is loaded by now, which is all that is wanted here (supervisor/compile-cache.ts).
  if (process.argv.at(-1) === loadOnly) process.exit(0);
  const options = parseProcessOptions(process.argv.at(-1));
  if (options === undefined)
    throw new Error('this is started by the control plane (ingress/supervisor/launch.ts)');
  let home: Home | undefined;
  let body: Body | undefined;
  const report: ReportProblem = (message, fields) => {
    const sent = home?.send({ type: 'report', level: 'warn', message, fields }) === true;
    if (!sent) process.stderr.write(`${JSON.stringify({ ...fields, message })}\n`);
  };
  process.on('uncaughtException', (error) => {
    // Once it serves, ending would cut every other connection; before, it cannot do its work.
    report('uncaught error', { error: error.stack ?? error.message });
    if (home === undefined) process.exit(1);
  });
  const tell: Tell = (all) => {
    const changes = body?.traffic?.(all);
    // While there is no control plane they are not lost: the next one is told all.
    if (changes !== undefined) home?.send({ type: 'traffic', ...changes });
  };
  const saved = savedSnapshot(options, report);
  return {
    options,
    saved,
    report,
    idle: (replica) => {
      tell(false);
      home?.send({ type: 'idle', replica });
    },
    counted: () => void setTimeout(tell, tellEvery, false).unref(),
    attend: (attended) => {
      body = attended;
      home = attend(options, saved?.revision ?? 0, attended, tell);
    },
  };
}

/** Tells what was counted since the last time, or all of it. */
type Tell = (all: boolean) => void;

/** @param revision of the snapshot that it serves already */
function attend(
  { role, slot, program, runDir }: ProcessOptions,
  revision: number,
  body: Body,
  tell: Tell,
): Home {
  let draining = false;
  const drain = (limits: DrainLimits): void => {
    draining = true;
    void body.drain(limits).then(() => {
      tell(false);
      process.exit(0);
    });
  };
  process.on('SIGTERM', () => drain(drainOnSignal));
  return dialHome(controlSocket(runDir), {
    hello: () => {
      const what = { protocol: protocolVersion, program, role, slot, pid: process.pid };
      return { type: 'hello', ...what, revision, busy: body.busy(), draining };
    },
    connected: () => tell(true),
    snapshot: async (snapshot) => {
      await body.apply(snapshot);
      revision = snapshot.revision;
      tell(false);
      return { type: 'applied', revision, busy: body.busy() };
    },
    drain,
    tickets: (keys) => body.tickets?.(keys),
  });
}

function savedSnapshot({ stateDir }: ProcessOptions, report: ReportProblem): Snapshot | undefined {
  try {
    return readSnapshot(stateDir);
  } catch (error) {
    report('saved route set is unreadable', { error: String(error) });
    return undefined;
  }
}
