/**
 * How a secret looks where it is printed: as it is, line by line, and in the encodings that programs put around it.
 * The encodings are those of GitHub's runner (actions/runner, src/Runner.Common/HostContext.cs) and the dialects of them
 * that our workloads speak. Pure.
 */

/** A text to look for. */
export interface Pattern {
  /** Without line breaks: text is searched as if there were none. */
  text: string;
  /** How many of its first characters are no secret (`postgres://`): a line may end with them. */
  head: number;
}

/** Characters. What is shorter cannot be kept secret: it is guessed, and hiding it would make any output unreadable. */
export const leastSecretLength = 4;
/** Characters that a line of a value needs to be a secret by itself. */
const shortestLine = 8;

type Encode = (text: string) => string;

const asItIs: Encode = (text) => text;
const json: Encode = (text) => JSON.stringify(text).slice(1, -1);
const unicodeEscape: Encode = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
const uri: Encode = (text) => encodeURIComponent(text.toWellFormed());

/** What a program does to a text that it prints inside something else. Each encodes characters one by one. */
const escapes: readonly Encode[] = [
  asItIs,
  json,
  // Python's json.dumps, and encoding/json of Go, which also hides characters of HTML.
  (text) => json(text).replaceAll(/[\u0080-\uffff]/g, unicodeEscape),
  (text) => json(text).replaceAll(/[<>&]/g, unicodeEscape),
  uri,
  (text) => uri(text).replaceAll(/%../g, (byte) => byte.toLowerCase()),
  // A form (application/x-www-form-urlencoded); Java and Go encode queries like it.
  (text) => new URLSearchParams({ v: text }).toString().slice(2),
  (text) => encodeURI(text.toWellFormed()),
  // `set` and `export -p` of bash; of dash and busybox; `declare -p`.
  (text) => text.replaceAll("'", `'\\''`),
  (text) => text.replaceAll("'", `'"'"'`),
  (text) => text.replaceAll(/[\\"$`]/g, '\\$&'),
  (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;'),
];

/** A value somewhere inside a base64 text begins at one of three places of a group: `base64(user:password)`. */
const encodings: readonly Encode[] = (['base64', 'base64url'] as const).flatMap((alphabet) =>
  [0, 1, 2].map((skipped) => (text: string) => base64Inside(text, alphabet, skipped)),
);

/**
 * All that has to be looked for to hide a value; nothing for one that is too short.
 * @param forms `plain`: only as it is and line by line, which is at most twice as long as the value; all the forms are about
 * sixteen times as long
 */
export function patternsOf(value: string, forms: 'all' | 'plain' = 'all'): Pattern[] {
  const whole = value.trim();
  if (withoutBreaks(whole).length < leastSecretLength) return [];
  const lines = whole.split(/[\r\n]+/).map((line) => line.trim());
  const parts = lines.length === 1 ? [whole] : [whole, ...lines.filter(isSecretLine)];
  const found = parts.flatMap((part) => formsOf(part, forms === 'all' ? escapes : [asItIs]));
  if (forms === 'all') found.push(...formsOf(whole, encodings));
  return found.filter(({ text }) => text.length >= leastSecretLength);
}

/** How text is read: as if its lines were one. */
function withoutBreaks(text: string): string {
  return text.replaceAll(/[\r\n]/g, '');
}

function formsOf(part: string, forms: readonly Encode[]): Pattern[] {
  const head = headOf(part);
  return forms.map((encode) => ({
    text: withoutBreaks(encode(part)),
    head: withoutBreaks(encode(head)).length,
  }));
}

/** The beginning that many values share: the scheme of a URL, the first line of a PEM file (RFC 7468). */
function headOf(part: string): string {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|-----BEGIN [A-Z0-9 ]+-----)/i.exec(part)?.[0] ?? '';
}

function isSecretLine(line: string): boolean {
  return line.length >= shortestLine && !/^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/.test(line);
}

/** The characters of a base64 text that follow from `text` alone, where `skipped` bytes of its group come before it. */
function base64Inside(text: string, alphabet: 'base64' | 'base64url', skipped: number): string {
  const bytes = Buffer.concat([Buffer.alloc(skipped), Buffer.from(text)]);
  return bytes.toString(alphabet).slice(Math.ceil((skipped * 8) / 6), Math.floor((bytes.length * 8) / 6));
}
