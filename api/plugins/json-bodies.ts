/**
 * JSON is the only body that routes take, unless they say otherwise: UTF-8 (RFC 8259, section 8.1) and whole characters, so
 * that what is stored is what was sent. An empty body counts as an empty object.
 */
import { isUtf8 } from 'node:buffer';
import { ProblemError } from '../../specs/problem.ts';
import type { App } from '../context.ts';
import { invalid, pointerToken } from '../validation.ts';

/** The escape of half a character; only a text that has one can hold a string that is no Unicode. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

export function jsonBodies(app: App): void {
  app.removeAllContentTypeParsers();
  // `__proto__` and `constructor.prototype` are refused, not dropped.
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (!isUtf8(bytes)) {
      done(new ProblemError('bad_request', 'The body is no valid UTF-8.'));
      return;
    }
    const text = bytes.toString('utf8');
    if (text === '') {
      done(null, undefined);
      return;
    }
    void parse(request, text, (error, body: unknown) => {
      const broken = !error && surrogateEscape.test(text) ? brokenText(body) : undefined;
      if (broken === undefined) done(error, body);
      else done(invalid([{ path: broken, message: 'holds half a character (a lone surrogate)' }]));
    });
  });
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.routeOptions.schema?.body !== undefined) {
      if (request.body === undefined) request.body = {};
    } else if (request.body !== undefined && !isEmptyObject(request.body)) {
      done(invalid([{ path: '', message: 'must be empty: this takes no body' }]));
      return;
    }
    done();
  });
}

/** @returns the pointer to a string or name that is no well-formed Unicode, if there is one */
function brokenText(value: unknown): string | undefined {
  // No recursion: a body may be nested as deep as it is long.
  const rest: [pointer: string, value: unknown][] = [['', value]];
  for (let next = rest.pop(); next; next = rest.pop()) {
    const [pointer, part] = next;
    if (typeof part === 'string' && !part.isWellFormed()) return pointer;
    if (typeof part !== 'object' || part === null) continue;
    for (const [name, member] of Object.entries(part)) {
      if (!name.isWellFormed()) return pointer;
      rest.push([`${pointer}/${pointerToken(name)}`, member]);
    }
  }
  return undefined;
}

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  );
}
