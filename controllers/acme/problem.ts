/** What an authority says went wrong, as one sentence of ours. Its words are a stranger's: one line, of bounded length. */
import { AcmeError } from './acme.ts';

/** Characters. */
const longest = 400;

/** Milliseconds: however long it asks to be left alone, a new try then does no harm. */
const longestPause = 7 * 24 * 3_600_000;

const urn = 'urn:ietf:params:acme:error:';

interface Problem {
  type?: unknown;
  detail?: unknown;
  subproblems?: unknown;
}

/** @param value a problem document (RFC 9457). @returns its words; null when there are none */
export function wordsOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const { type, detail, subproblems } = value as Problem;
  const own = typeof detail === 'string' && detail !== '' ? detail : typeof type === 'string' ? type : '';
  const parts = Array.isArray(subproblems) ? subproblems.map((part) => wordsOf(part)) : [];
  const words = [own, ...parts].filter((part) => part !== null && part !== '').join('; ');
  return words === '' ? null : plain(words);
}

/** An answer of 400 or more, or one that leads elsewhere. */
export function refusalOf(
  status: number,
  body: string,
  retryAfter: string | undefined,
  now: number,
): AcmeError {
  const problem = parse(body);
  const urnOf = (problem as Problem | undefined)?.type;
  const type = typeof urnOf === 'string' && urnOf.startsWith(urn) ? urnOf.slice(urn.length) : undefined;
  const pause = pauseOf(retryAfter, now);
  const said = wordsOf(problem) ?? `it answered with status ${status}`;
  const more = { ...(type !== undefined && { type }), ...(pause !== undefined && { retryAfter: pause }) };
  if (status === 429 || type === 'rateLimited')
    return new AcmeError(
      'limited',
      `The certificate authority takes no more requests for now: ${said}`,
      more,
    );
  if (status >= 500 || status < 400)
    return new AcmeError('unavailable', `The certificate authority is not able to answer: ${said}`, more);
  return new AcmeError('refused', `The certificate authority refused: ${said}`, more);
}

/** @param value seconds, or a date (RFC 9110, 10.2.3). @returns milliseconds */
function pauseOf(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestPause);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Some proxy's page in its place: the status says all there is to say.
    return undefined;
  }
}

function plain(text: string): string {
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
