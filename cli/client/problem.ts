/** Error answers of the API, and failures to reach it, as CliErrors with the exit code of the contract. */
import type { Problem } from '../../specs/problem.ts';
import { CliError, ExitCode } from '../errors.ts';
import { timeoutCodes } from './exchange.ts';

/** HTTP status → exit code. What is not listed is a failure of the node (1). */
const exitCodes: Readonly<Record<number, ExitCode>> = {
  400: ExitCode.refused,
  401: ExitCode.denied,
  403: ExitCode.denied,
  404: ExitCode.notFound,
  409: ExitCode.refused,
  412: ExitCode.refused,
  413: ExitCode.refused,
  415: ExitCode.refused,
  422: ExitCode.refused,
  502: ExitCode.unreachable,
  503: ExitCode.unreachable,
  504: ExitCode.unreachable,
};

export interface Answer {
  status: number;
  contentType: string;
  requestId: string | undefined;
  retryAfter: string | undefined;
  body: string;
}

/**
 * The error that an answer of 300 or more stands for.
 * @param url base URL of the node, for messages
 * @param renew what the user does where the token is not, or no longer, valid
 */
export function problemError(answer: Answer, url: string, renew = 'Log in with: svc auth'): CliError {
  const exitCode = exitCodes[answer.status] ?? ExitCode.failed;
  const problem = parseProblem(answer);
  if (problem === undefined) return strangeAnswer(answer, url);
  return new CliError(exitCode, sentence(problem.detail || problem.title), {
    code: problem.code,
    violations: problem.errors ?? [],
    ...nextOf(answer, renew),
    // A 5xx is the node's own failure: its log line is found by this id.
    ...(answer.status >= 500 ? requestIdOf(problem.request_id ?? answer.requestId) : {}),
  });
}

/** The answer is none that a node gives: another program listens there, or something stands in between. */
export function strangeAnswer(answer: Answer, url: string): CliError {
  const gateway = answer.status >= 502 && answer.status <= 504;
  return new CliError(
    gateway ? ExitCode.unreachable : ExitCode.failed,
    gateway
      ? `The node is out of reach behind ${url}: a gateway answered ${answer.status}.`
      : `What answers at ${url} is no svc node: it answered ${answer.status} with ${answer.contentType || 'no content type'}.`,
    { ...checkAddress, ...requestIdOf(answer.requestId) },
  );
}

const checkAddress = { next: 'Check the address: svc auth --url <URL>' };

const connection: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'is `svc serve` running there?',
  ENOTFOUND: 'the name does not resolve.',
  EAI_AGAIN: 'the name does not resolve right now.',
  EHOSTUNREACH: 'there is no route to it.',
  ENETUNREACH: 'there is no route to it.',
  ETIMEDOUT: 'it does not answer.',
  [timeoutCodes.answer]: 'it took the request and does not answer.',
  [timeoutCodes.body]: 'it stopped in the middle of an answer.',
};

/** Nobody that this machine trusts has signed it (OpenSSL's verification results, as Node names them). */
const untrusted: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/**
 * A request that got no answer, or the beginning of one. An aborted one comes back as it is.
 * @param part of the answer that was being read
 */
export function transportError(error: unknown, url: string, part: 'head' | 'body'): unknown {
  if (error instanceof CliError || !(error instanceof Error)) return error;
  if (error.name === 'AbortError') return error;
  const code = codeOf(error);
  // In a body it may be how a connection ends whose other side was killed in the middle of a chunk.
  if (code?.startsWith('HPE_') === true && part === 'head') {
    return new CliError(ExitCode.failed, `What answers at ${url} is no svc node: it does not speak HTTP.`, {
      ...checkAddress,
      cause: error,
    });
  }
  if (code === undefined) return error;
  if (untrusted.has(code)) {
    return new CliError(
      ExitCode.unreachable,
      `The certificate of the node at ${url} is not trusted here (${code}).`,
      {
        next: 'If it is of an authority of your own: export NODE_EXTRA_CA_CERTS=<its PEM file>',
        cause: error,
      },
    );
  }
  const why =
    connection[code] ??
    (code.includes('CERT') || code.startsWith('ERR_TLS') || code.includes('SIGNATURE')
      ? `its certificate is not accepted (${code}).`
      : `the connection failed (${code}).`);
  return new CliError(ExitCode.unreachable, `The node is out of reach at ${url}: ${why}`, { cause: error });
}

/** Whether trying again may help: no answer at all, or one that says "not now". */
export function isTransient(error: unknown): boolean {
  return error instanceof CliError && error.exitCode === ExitCode.unreachable;
}

/** What the system or the HTTP client calls this failure of a connection. */
export function codeOf(error: Error): string | undefined {
  // Connecting to a name with several addresses fails with one error per address.
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const code = (inner as { code?: unknown }).code ?? (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : undefined;
}

function parseProblem(answer: Answer): Problem | undefined {
  if (!answer.contentType.startsWith('application/problem+json')) return undefined;
  try {
    const body = JSON.parse(answer.body) as Partial<Problem>;
    return typeof body.code === 'string'
      ? ({ title: `Answer ${answer.status}`, detail: '', ...body } as Problem)
      : undefined;
  } catch {
    return undefined; // Cut off on its way: told by status alone.
  }
}

function nextOf(answer: Answer, renew: string): { next?: string } {
  if (answer.status === 401) return { next: renew };
  const wait = answer.retryAfter;
  if (wait === undefined) return {};
  // Seconds from a node; whatever stands before it may give a date (RFC 9110, 10.2.3).
  return { next: /^\d+$/.test(wait) ? `Try again in ${seconds(Number(wait))}.` : `Try again after ${wait}.` };
}

function seconds(count: number): string {
  return count < 120 ? `${count} s` : `${Math.ceil(count / 60)} min`;
}

function requestIdOf(id: string | undefined): { requestId?: string } {
  return id === undefined ? {} : { requestId: id };
}

function sentence(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`;
}
