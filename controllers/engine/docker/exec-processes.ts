/**
 * The processes of an exec, seen from the host, and how they are ended: the Engine API has no verb for that, and a client
 * that hangs up leaves them running (moby issue 9098). The engine runs every exec in a session of its own (setsid in runc's
 * nsexec), so a process belongs to it when it has that session or descends from it; and when it has its mark in the
 * environment that it was started with, which tells also of what has left the session (setsid) or outlived the command. The
 * environment of others can be read by root only: without that right the session alone counts. The node and the engine share
 * a host: replicas' sockets take that as well.
 */
import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '../../../specs/clock.ts';
import { EngineError } from '../engine.ts';

/** Milliseconds: what SIGHUP may take, what SIGKILL may take, and between two looks. */
const patience = { hangup: 3_000, kill: 5_000, look: 50 } as const;

export interface ExecProcesses {
  /** Host pid of the command; undefined when it has ended: its number may be another's. */
  leader: number | undefined;
  /** Full id of the container: its cgroups have it in their names. */
  container: string;
  /** A variable that all of them were given and nobody else: `NAME=value`. */
  mark: string | undefined;
}

/** As process.kill: throws an error with a `code`. */
export type Kill = (pid: number, signal: NodeJS.Signals) => void;

export interface Signalling {
  clock: Clock;
  kill: Kill;
  /** For processes of other users: sends it from inside of the container, by the pids that they have there. */
  killInside: (pids: readonly number[], signal: NodeJS.Signals) => Promise<void>;
}

/** Rejects with `unavailable` when some of them are still there after that. */
export async function endProcesses(of: ExecProcesses, signalling: Signalling): Promise<void> {
  const seen = new Set(of.leader === undefined ? [] : [of.leader]);
  if (await endsAfter('SIGHUP', patience.hangup, of, seen, signalling)) return;
  if (await endsAfter('SIGKILL', patience.kill, of, seen, signalling)) return;
  throw new EngineError(
    'unavailable',
    'A process of a console could not be ended: look at the container with docker top, or restart the service',
  );
}

/** @param seen pids that belonged to it at some time: once their parents are gone, nothing else tells */
async function endsAfter(
  signal: NodeJS.Signals,
  ms: number,
  of: ExecProcesses,
  seen: Set<number>,
  signalling: Signalling,
): Promise<boolean> {
  for (let waited = 0; waited <= ms; waited += patience.look) {
    const living = await membersOf(of, seen);
    if (living.length === 0) return true;
    // What was forked meanwhile gets it as well.
    await send(
      living.filter((pid) => waited === 0 || !seen.has(pid)),
      signal,
      signalling,
    );
    for (const pid of living) seen.add(pid);
    await new Promise<void>((resolve) => signalling.clock.after(patience.look, resolve));
  }
  return false;
}

async function send(pids: number[], signal: NodeJS.Signals, { kill, killInside }: Signalling): Promise<void> {
  const foreign = pids.filter((pid) => {
    try {
      kill(pid, signal);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ESRCH';
    }
    return false;
  });
  const inner = await Promise.all(foreign.map(innerPid));
  const known = inner.filter((pid) => pid !== undefined);
  if (known.length > 0) await killInside(known, signal);
}

interface Process {
  pid: number;
  parent: number;
  session: number;
}

async function membersOf({ leader, container, mark }: ExecProcesses, seen: Set<number>): Promise<number[]> {
  const all = await processesIn(container);
  const marked = await Promise.all(all.map(({ pid }) => hasMark(pid, mark)));
  const belongs = ({ pid, session }: Process, index: number) =>
    session === leader || seen.has(pid) || marked[index];
  const members = new Set(all.filter(belongs).map(({ pid }) => pid));
  for (let size = -1; size !== members.size;) {
    size = members.size;
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid);
  }
  return [...members];
}

/** A pid may be another's by now; it is never one outside of the container. */
async function processesIn(container: string): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(
    pids.map(async (pid) => ((await isInside(pid, container)) ? read(pid) : undefined)),
  );
  return all.filter((found) => found !== undefined);
}

async function isInside(pid: string, container: string): Promise<boolean> {
  return (await text(`/proc/${pid}/cgroup`)).includes(container);
}

async function hasMark(pid: number, mark: string | undefined): Promise<boolean> {
  return mark !== undefined && (await text(`/proc/${pid}/environ`)).split('\0').includes(mark);
}

/** Undefined once it is gone; a zombie is. */
async function read(name: string): Promise<Process | undefined> {
  const stat = await text(`/proc/${name}/stat`);
  // "pid (name) state parent group session …"; there may be anything in the name (proc_pid_stat(5)).
  const [state = 'Z', parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X' || stat === '') return undefined;
  return { pid: Number(name), parent: Number(parent), session: Number(session) };
}

async function innerPid(pid: number): Promise<number | undefined> {
  const last = /^NSpid:.*\s(\d+)$/m.exec(await text(`/proc/${pid}/status`))?.[1];
  return last === undefined ? undefined : Number(last);
}

/** Empty for a process that is gone. */
function text(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
