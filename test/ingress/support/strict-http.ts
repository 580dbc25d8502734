/** Reads what a replica was sent as strictly as RFC 9112 allows, and says what a laxer reader might take otherwise. */

export interface Seen {
  line: string;
  /** Names in lower case. */
  headers: [name: string, value: string][];
  /** What is wrong with it, or could be read in two ways. */
  anomalies: string[];
}

const requestLine = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [^ \t]+ HTTP\/1\.[01]$/;
const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*?)[ \t]*$/s;

/** @param bytes of one connection, as latin1. A last request that is not whole is given as far as it goes. */
export function scan(bytes: string): Seen[] {
  const found: Seen[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end < 0) break;
    const seen = readHead(bytes.slice(at, end));
    found.push(seen);
    const next = skipBody(bytes, end + 4, seen);
    if (next === undefined) break;
    at = next;
  }
  return found;
}

function readHead(head: string): Seen {
  const [line = '', ...rest] = head.split('\r\n');
  const seen: Seen = { line, headers: [], anomalies: [] };
  const wrong = (what: string): void => void seen.anomalies.push(what);
  if (/[\0-\x08\n\x0b-\x1f\x7f]/.test(rest.join(''))) wrong('a control character');
  if (!requestLine.test(line)) wrong('a request line that is none');
  for (const text of rest) {
    const match = headerLine.exec(text);
    if (match === null) wrong('a header that is none');
    else seen.headers.push([(match[1] ?? '').toLowerCase(), match[2] ?? '']);
  }
  const [lengths, codings] = [values(seen, 'content-length'), values(seen, 'transfer-encoding')];
  if (values(seen, 'host').length !== 1) wrong('not one Host');
  if (lengths.length + codings.length > 1) wrong('framed more than once');
  if (lengths.some((value) => !/^\d+$/.test(value))) wrong('a length that is none');
  if (codings.some((value) => value !== 'chunked')) wrong('a coding besides chunked');
  if (seen.headers.some(([name]) => name.includes('_'))) wrong('a name with an underscore');
  return seen;
}

export function values(seen: Seen, name: string): string[] {
  return seen.headers.flatMap(([own, value]) => (own === name ? [value] : []));
}

/** @returns where the next request begins; undefined when this one is not whole, or cannot be followed */
function skipBody(bytes: string, from: number, seen: Seen): number | undefined {
  if (values(seen, 'transfer-encoding').length === 0) {
    const end = from + Number(values(seen, 'content-length')[0] ?? 0);
    return end <= bytes.length ? end : undefined;
  }
  let at = from;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = bytes.slice(at, lineEnd);
    if (!/^[0-9a-fA-F]+$/.test(size)) {
      seen.anomalies.push('a chunk that is none');
      return undefined;
    }
    at = lineEnd + 2 + parseInt(size, 16) + 2;
    if (parseInt(size, 16) === 0) return at <= bytes.length ? at : undefined;
  }
}
