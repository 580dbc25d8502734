/**
 * Failures that a user can act on, the exit code that each has, and how one is printed.
 * Must not print anything but what was meant for people: no stack, no token, no password.
 */
import type { Problem, Violation } from '../specs/problem.ts';

/** Exit codes of every command. Scripts rely on them. */
export const ExitCode = {
  done: 0,
  /** It was carried out and failed: a deployment that ended Failed among others. */
  failed: 1,
  usage: 2,
  /** Not authenticated, or not allowed. */
  denied: 3,
  notFound: 4,
  /** Refused as invalid or in conflict with what is there. */
  refused: 5,
  /** The node does not answer. */
  unreachable: 6,
  timedOut: 8,
  /** The terminal is gone: 128 + SIGHUP. */
  hungUp: 129,
  /** Ctrl-C: 128 + SIGINT, as shells have it. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

export interface CliErrorOptions {
  /** What the user can do now: a sentence or a command line. */
  next?: string;
  /** Stable and machine-readable; that of the API where it was the API that refused. */
  code?: string;
  violations?: readonly Violation[];
  /** Of the answer, so that it can be found in the node's log. */
  requestId?: string;
  cause?: unknown;
}

const codes: Record<ExitCode, string> = {
  0: 'done',
  1: 'failed',
  2: 'usage',
  3: 'unauthenticated',
  4: 'not_found',
  5: 'invalid',
  6: 'unreachable',
  8: 'timed_out',
  129: 'hung_up',
  130: 'interrupted',
};

/** A failure with an exit code and, where there is one, a next step. The message is one plain sentence. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly next: string | undefined;
  readonly violations: readonly Violation[];
  readonly requestId: string | undefined;

  constructor(exitCode: ExitCode, message: string, options: CliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CliError';
    this.exitCode = exitCode;
    this.code = options.code ?? codes[exitCode];
    this.next = options.next;
    this.violations = options.violations ?? [];
    this.requestId = options.requestId;
  }
}

/** A mistake in the command line or in a file that the user wrote. */
export function usageError(message: string, next?: string): CliError {
  return new CliError(ExitCode.usage, message, next === undefined ? {} : { next });
}

/** Anything thrown, as a CliError: what was not foreseen becomes a plain failure with its own message. */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  // Of the packer and its rules: known by its shape, so that they are loaded by those commands only that pack.
  if (error instanceof Error && 'hint' in error && typeof error.hint === 'string') {
    return new CliError(ExitCode.refused, error.message, { next: error.hint, cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new CliError(ExitCode.failed, message === '' ? 'Something failed without saying why.' : message, {
    cause: error,
  });
}

/** The error as `-o json` prints it; the field names are those of the API's problem body where both have one. */
export function errorDocument(error: CliError): {
  error: Partial<Problem> & { exit_code: number; next?: string };
} {
  return {
    error: {
      code: error.code,
      detail: error.message,
      exit_code: error.exitCode,
      ...(error.next === undefined ? {} : { next: error.next }),
      ...(error.requestId === undefined ? {} : { request_id: error.requestId }),
      ...(error.violations.length === 0 ? {} : { errors: [...error.violations] }),
    },
  };
}

/** The error as lines for people: the sentence, every violation that is not in it already, the next step. */
export function errorLines(error: CliError): string[] {
  const lines = error.message.split('\n');
  for (const violation of error.violations.filter(({ message }) => !error.message.includes(message)))
    lines.push(`  ${violation.path === '' ? '/' : violation.path}: ${violation.message}`);
  if (error.next !== undefined) lines.push(...error.next.split('\n'));
  if (error.requestId !== undefined) lines.push(`Request id: ${error.requestId}`);
  return lines;
}
