/**
 * Turns whatever a call of the engine threw into an EngineError. Messages are stable (no ids, no times) and say what to
 * do; what the engine said in full stays in `cause`.
 */
import { EngineError, type EngineErrorCode } from './engine.ts';

const outOfReach = 'The container engine is out of reach: check that it runs';
const noAccess =
  "The container engine's socket may not be opened: run the node as root or in the engine's group";

/** Replies that mean a conflict although their status says 400, 403 or 500. */
const conflicts = /overlaps with|address already in use|has active endpoints|is already in use/i;

const byStatus = new Map<number, EngineErrorCode>([
  [404, 'not_found'],
  [409, 'conflict'],
  [429, 'unavailable'],
]);

/**
 * @param doing what was tried, as it reads after "The engine could not": `create the network`
 * @returns the error itself if it is an EngineError already
 */
export function toEngineError(error: unknown, doing: string): EngineError {
  if (error instanceof EngineError) return error;
  const status = statusOf(error);
  if (status === undefined) return transportError(error, doing);
  const said = sayingOf(error);
  const code = conflicts.test(said)
    ? 'conflict'
    : (byStatus.get(status) ?? (status >= 500 ? 'unavailable' : 'refused'));
  return new EngineError(code, `The engine could not ${doing}: ${said || `it answered ${status}`}`, error);
}

/** @returns the HTTP status that the engine answered with, if it answered */
export function statusOf(error: unknown): number | undefined {
  const status = field(error, 'statusCode');
  return typeof status === 'number' ? status : undefined;
}

/** @returns what the engine said, on one line and short */
export function sayingOf(error: unknown): string {
  const message = field(field(error, 'json'), 'message');
  if (typeof message === 'string') return shorten(message);
  // Of a call whose reply would be a stream, dockerode keeps only this: "(HTTP code 400) unexpected - what it said ".
  const wrapped = field(error, 'message');
  return typeof wrapped === 'string'
    ? shorten(/^\(HTTP code \d+\) [^-]* - (.+)$/s.exec(wrapped)?.[1] ?? '')
    : '';
}

/** One line of at most 300 characters, without the engine's inner call chain. */
export function shorten(message: string): string {
  const line = message
    .replaceAll(/\s+/g, ' ')
    .replace(
      /^(?:(?:failed to (?:solve|create (?:shim task|shim|LLB definition))(?: with frontend [\w.]+)?|OCI runtime (?:create|exec) failed|runc create failed|exec failed|unable to start container process|rpc error: code = \w+ desc =):?\s+)+/i,
      '',
    )
    .replace(/: unknown$/, '')
    .trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}

function transportError(error: unknown, doing: string): EngineError {
  const code = field(error, 'code');
  if (code === 'EACCES' || code === 'EPERM') return new EngineError('unavailable', noAccess, error);
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return new EngineError('unavailable', outOfReach, error);
  return new EngineError(
    'unavailable',
    `The connection to the container engine broke while it was to ${doing}`,
    error,
  );
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
