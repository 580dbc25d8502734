/** Follows a run: prints what its command prints, to the stream that it printed to, and says how it went on stderr. */
import type { RunResource } from '../specs/job-resources.ts';
import type { RunLogEntry } from '../specs/log-entry.ts';
import type { Client } from './client.ts';
import { pause } from './client/follow.ts';
import { isTransient } from './client/problem.ts';
import type { Context } from './context.ts';
import { ExitCode } from './errors.ts';
import { paletteFor } from './output/colour.ts';
import { cleanLine, cleanText } from './output/text.ts';

/** Milliseconds between two looks at a run whose log has ended. */
const pollInterval = 500;

/** @returns the run once it is over. Rejects with an AbortError when the user leaves. */
export async function followRun(context: Context, client: Client, id: string): Promise<RunResource> {
  const { clock, env, stdout, stderr } = context;
  const { dim } = paletteFor(stderr, env);
  const signal = context.interrupted();
  const onReconnect = (attempt: number) => {
    if (attempt === 3) stderr.write('The connection broke; trying again.\n');
  };
  let said = '';
  for await (const { event, data } of client.followRun(id, { signal, onReconnect })) {
    if (event !== 'log' && event !== 'status') continue;
    const entry = { event, ...JSON.parse(data) } as RunLogEntry;
    if (entry.event === 'log')
      (entry.stream === 'stdout' ? stdout : stderr).write(`${cleanText(entry.line)}\n`);
    else if (entry.message !== said) stderr.write(`${dim(cleanLine((said = entry.message)))}\n`);
  }
  for (;;) {
    const run = await client.run(id, signal).catch((error: unknown) => {
      if (isTransient(error)) return undefined;
      throw error;
    });
    if (run !== undefined && isOver(run.status)) return run;
    await pause(clock, pollInterval, signal);
  }
}

/** The run's own exit code; 1 for one that did not succeed and has none of its own. */
export function exitCodeOf({ status, exit_code: code }: RunResource): number {
  if (status === 'Succeeded') return ExitCode.done;
  return code === null || code === 0 ? ExitCode.failed : code;
}

/** The function of specs/job.ts without its library. */
function isOver(status: RunResource['status']): boolean {
  return status === 'Succeeded' || status === 'Failed' || status === 'Stopped';
}
