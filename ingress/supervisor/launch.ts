/** Starts a worker or the bridge as a process that outlives this one. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessOptions } from '../process-options.ts';
import { compileCache } from './compile-cache.ts';
import type { Program } from './program.ts';

/**
 * A small young generation: buffers of bodies are collected early. Measured while 1 GiB passes: 45 MiB more than idle
 * instead of 80, for a tenth more CPU on small requests.
 */
const nodeFlags = ['--max-semi-space-size=1', '--disable-warning=ExperimentalWarning'];

export function logPath({ stateDir, role, slot }: ProcessOptions): string {
  return join(stateDir, `${role}-${slot}.log`);
}

/**
 * @param failed called, later, when there is no process: the disk is full, or the system has none left
 * @returns undefined, or one without `pid`, in that case
 */
export function launch(
  program: Program,
  options: ProcessOptions,
  failed: (error: Error) => void,
): ChildProcess | undefined {
  try {
    const child = spawnDetached(program, options);
    child.once('error', failed);
    child.unref();
    return child;
  } catch (error) {
    process.nextTick(failed, error);
    return undefined;
  }
}

function spawnDetached(program: Program, options: ProcessOptions): ChildProcess {
  // Each process begins its log anew: it holds only what could not be told to the control plane.
  const log = openSync(logPath(options), 'a', 0o600);
  try {
    ftruncateSync(log);
    return spawn(process.execPath, [...nodeFlags, program.main[options.role], JSON.stringify(options)], {
      // A session of its own: neither Ctrl-C in a terminal nor our end reaches it.
      detached: true,
      stdio: ['ignore', log, log],
      cwd: '/',
      // Nothing of ours, which may hold secrets.
      env: { NODE_COMPILE_CACHE: compileCache(options.stateDir, program) },
    });
  } finally {
    closeSync(log);
  }
}

/** The end of what a member wrote before it ended. */
export function lastWords(options: ProcessOptions): string {
  try {
    return readFileSync(logPath(options), 'utf8').slice(-2_000).trim();
  } catch {
    // The log is a help, not a must; its absence is not what went wrong.
    return '';
  }
}
