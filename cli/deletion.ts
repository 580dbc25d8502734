/** Deletes what its controller takes down first: asks, tells the node, and waits until it is gone. */
import { pause } from './client/follow.ts';
import { isTransient } from './client/problem.ts';
import { confirm } from './confirmation.ts';
import type { Context } from './context.ts';
import { CliError, ExitCode } from './errors.ts';
import type { Deletion } from './kinds/kind.ts';
import { cleanLine } from './output/text.ts';

export interface DeletionOptions {
  cascade: boolean;
  /** Without asking. */
  yes: boolean;
  /** Milliseconds to wait until it is gone; undefined: not at all. */
  timeout: number | undefined;
}

/** @returns whether it is gone. Throws CliError: refused by the user (2) or by the node, timed out (8). */
export async function deleteAndWait(
  context: Context,
  deletion: Deletion,
  { cascade, yes, timeout }: DeletionOptions,
): Promise<boolean> {
  await confirm(context, { warning: deletion.warning(cascade), expected: deletion.name, yes });
  await deletion.begin(cascade);
  if (timeout === undefined) return false;
  const { clock, stderr } = context;
  const signal = context.interrupted();
  const deadline = clock.now() + timeout;
  let said = '';
  for (let wait = 50; ; wait = Math.min(wait * 1.5, 1_000)) {
    try {
      const { conditions } = await deletion.look(signal);
      const left = cleanLine(conditions.find(({ type }) => type === 'Deleted')?.message ?? '');
      if (left !== '' && left !== said) stderr.write(`${left}\n`);
      said = left;
    } catch (error) {
      if (error instanceof CliError && error.exitCode === ExitCode.notFound) return true;
      if (!isTransient(error)) throw error;
    }
    if (clock.now() >= deadline)
      throw new CliError(ExitCode.timedOut, `It is not gone yet; the node goes on with it. ${said}`.trim());
    await pause(clock, Math.min(wait, Math.max(deadline - clock.now(), 0)), signal);
  }
}
