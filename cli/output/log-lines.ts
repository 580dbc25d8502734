/** Lines of workloads for a terminal: each replica has a colour and a short name of its own. */
import type { WorkloadLogLine } from '../../specs/log-entry.ts';
import { shortReplica } from '../../specs/short-replica.ts';
import { paletteFor, type Palette } from './colour.ts';
import { cleanText } from './text.ts';

export interface LogLinesOptions {
  stdout: object;
  env: Readonly<Record<string, string | undefined>>;
  /** Several replicas print: names from the first line on. Else they come with the second replica that does. */
  isMixed: boolean;
}

/** What follows one another is easy to tell apart; red stays for failures. */
const tints = ['cyan', 'yellow', 'green', 'magenta', 'blue'] as const satisfies readonly (keyof Palette)[];

/** @returns what makes the text of one line after the other */
export function createLogLines({ stdout, env, isMixed }: LogLinesOptions): (line: WorkloadLogLine) => string {
  const palette = paletteFor(stdout, env);
  const seen: string[] = [];
  return ({ replica, line }) => {
    if (!seen.includes(replica)) seen.push(replica);
    if (!isMixed && seen.length === 1) return cleanText(line);
    const tint = tints[seen.indexOf(replica) % tints.length] ?? 'dim';
    return `${palette[tint](`${cleanText(shortReplica(replica))} |`)} ${cleanText(line)}`;
  };
}
