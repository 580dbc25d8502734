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

/** Without a control plane to say otherwise. */
const drainOnSignal: DrainLimits = { idle_ms: 0, limit_ms: 10_000 };

export type ReportProblem = (message: string, fields: Report['fields']) => void;

/** What a process does with what it is fed. */
export interface Body {
  /** Goes by the snapshot from when this resolves on. */
  apply(snapshot: Snapshot): void | Promise<void>;
  /** Ids of replicas that the newest snapshot does not route but that have requests under way. */
  busy(): string[];
  /** Listens no more and resolves once nothing is under way, at the latest after the limit. */
  drain(limits: DrainLimits): Promise<void>;
}

export interface MemberProcess {
  options: ProcessOptions;
  /** The last good snapshot on disk. */
  saved: Snapshot | undefined;
  /** To the control plane's log; to the process's own while there is none. */
  report: ReportProblem;
  /** Tells that the last request of a replica has ended that is no longer routed. */
  idle(replica: string): void;
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
  const report: ReportProblem = (message, fields) => {
    const sent = home?.send({ type: 'report', level: 'warn', message, fields }) === true;
    if (!sent) process.stderr.write(`${JSON.stringify({ ...fields, message })}\n`);
  };
  process.on('uncaughtException', (error) => {
    // Once it serves, ending would cut every other connection; before, it cannot do its work.
    report('uncaught error', { error: error.stack ?? error.message });
    if (home === undefined) process.exit(1);
  });
  const saved = savedSnapshot(options, report);
  return {
    options,
    saved,
    report,
    idle: (replica) => void home?.send({ type: 'idle', replica }),
    attend: (body) => {
      home = attend(options, saved?.revision ?? 0, body);
    },
  };
}

/** @param revision of the snapshot that it serves already */
function attend({ role, slot, program, runDir }: ProcessOptions, revision: number, body: Body): Home {
  let draining = false;
  const drain = (limits: DrainLimits): void => {
    draining = true;
    void body.drain(limits).then(() => process.exit(0));
  };
  process.on('SIGTERM', () => drain(drainOnSignal));
  return dialHome(controlSocket(runDir), {
    hello: () => {
      const what = { protocol: protocolVersion, program, role, slot, pid: process.pid };
      return { type: 'hello', ...what, revision, busy: body.busy(), draining };
    },
    snapshot: async (snapshot) => {
      await body.apply(snapshot);
      revision = snapshot.revision;
      return { type: 'applied', revision, busy: body.busy() };
    },
    drain,
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
