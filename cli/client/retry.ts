/** Tries an exchange a second time where its first failure tells that this can do no harm. */
import type { Clock } from '../../specs/clock.ts';
import { CliError, ExitCode } from '../errors.ts';
import { pause } from './follow.ts';
import { codeOf } from './problem.ts';

/** Milliseconds between the two: a node that is restarted takes its socket over in less. */
const wait = 250;

/** Nothing was sent: there was no connection yet. A name that does not exist, or silence, would be the same again. */
const unsent = new Set(['ECONNREFUSED', 'ECONNABORTED', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN']);

/** The connection broke, and nobody can tell whether the node has carried the request out. */
const dropped = new Set(['ECONNRESET', 'EPIPE']);

export interface RetryOptions {
  clock: Clock;
  signal: AbortSignal | undefined;
  /** Whether carrying the request out twice is the same as once: it only reads, or the node knows it by a key. */
  idempotent: boolean;
  /** Whether its body can be sent again at all. */
  repeatable: boolean;
}

/** What the first try gives, or the second. Rejects with the error of the last one. */
export async function twice<T>(
  attempt: () => Promise<T>,
  { clock, signal, idempotent, repeatable }: RetryOptions,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    const code = failureCode(error);
    if (!repeatable || !(unsent.has(code) || (idempotent && dropped.has(code)))) throw error;
    await pause(clock, wait, signal);
    return attempt();
  }
}

/** Of the connection; '' for an answer of the node, whatever it says. */
function failureCode(error: unknown): string {
  if (!(error instanceof CliError) || error.exitCode !== ExitCode.unreachable) return '';
  return error.cause instanceof Error ? (codeOf(error.cause) ?? '') : '';
}
