/**
 * The words in which an archive is refused. Names come from strangers: they are quoted, escaped and cut, so that a
 * message never breaks a log or a terminal.
 */
import { ProblemError } from '../../specs/problem.ts';
import { formatBytes } from '../../specs/bytes.ts';

const shown = 160;

/** A name from an archive as one printable, bounded word. */
export function quoteName(name: string): string {
  const cut = name.length > shown ? `${name.slice(0, shown)}…` : name;
  return JSON.stringify(cut).replace(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The stream is not the archive that it should be: not zstd, not tar, damaged or cut off. */
export function unreadable(detail: string, cause?: unknown): ProblemError {
  return new ProblemError('bad_request', `The archive cannot be read: ${detail}.`, { cause });
}

/** An entry breaks a rule. @param rule completes "it …" and says what would be right */
export function refusedEntry(name: string, rule: string): ProblemError {
  return new ProblemError('bad_request', `The archive is refused: entry ${quoteName(name)} ${rule}.`);
}

const smaller = 'Leave files out with .dockerignore.';

/** A limit is reached. @param what is too much @param limit as people read it @param next what to do about it */
export function overLimit(what: string, limit: string, next = smaller): ProblemError {
  return new ProblemError('too_large', `The upload is too large: ${what} (limit: ${limit}). ${next}`);
}

export function overBytes(what: string, limit: number, next = smaller): ProblemError {
  return overLimit(what, formatBytes(limit), next);
}
