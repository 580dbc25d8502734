/** Which processes of an earlier control plane are still there: asked of /proc, so there is no pid file to go stale. */
import { readdirSync, readFileSync } from 'node:fs';
import { parseProcessOptions, type ProcessOptions } from '../process-options.ts';

export interface Survivor {
  pid: number;
  options: ProcessOptions;
}

/** @returns what the process was started with, if it is a living member of this run directory */
export function identify(pid: number, runDir: string): ProcessOptions | undefined {
  let commandLine: string;
  try {
    commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It ended. A dead one that nobody has reaped yet has an empty command line.
    return undefined;
  }
  const options = parseProcessOptions(commandLine.split('\0').at(-2));
  return options?.runDir === runDir ? options : undefined;
}

export function findSurvivors(runDir: string): Survivor[] {
  const found: Survivor[] = [];
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    const options = Number.isInteger(pid) ? identify(pid, runDir) : undefined;
    if (options !== undefined) found.push({ pid, options });
  }
  return found;
}
