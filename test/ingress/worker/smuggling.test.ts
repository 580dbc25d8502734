/** Requests that parsers disagree about (test/corpora/http1), through a real worker, as a strict replica sees them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { serve, startIngress } from '../support/ingresses.ts';
import { rawReplica, routesTo } from '../support/replicas.ts';
import { sandbox } from '../support/sandbox.ts';
import { scan, values, type Seen } from '../support/strict-http.ts';

interface Row {
  id: string;
  expect: 'accept' | 'reject' | 'reject-or-one' | 'ambiguous' | 'any';
  raw_b64: string;
}

/** Milliseconds that a client listens. Some rows are not whole: the worker waits for more, rightly. */
const listenFor = 400;
const atOnce = 40;

/** Refused by some; here what makes them dangerous does not get to the replica, and the rest may be served. */
const harmless = new Set([
  // Names with an underscore are dropped.
  'gunicorn/invalid/040',
  'gunicorn/invalid/041',
  // Trailers are dropped.
  'gunicorn/invalid/rfc9110_trailer_forbidden_host_01',
  // Right as far as it goes, and the replica answers before the end is there.
  'gunicorn/invalid/rfc9112_chunked_missing_final_crlf_01',
  'llhttp/transfer-encoding/022',
]);

const corpus = join(import.meta.dirname, '../../corpora/http1/cases.ndjson');
const rows = readFileSync(corpus, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

test(`${rows.length} ambiguous requests: none smuggled, none accepted that should be refused, no crash`, async (t) => {
  const place = await sandbox(t);
  const ingress = await startIngress(t, place);
  const connections: string[][] = [];
  const socket = join(place.runDir, 'r');
  await rawReplica(t, socket, (connection) => {
    const parts: string[] = [];
    connections.push(parts);
    let answered = 0;
    connection.setEncoding('latin1').on('data', (part: string) => {
      parts.push(part);
      for (const due = scan(parts.join('')).length; answered < due; answered += 1)
        connection.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
  await serve(ingress, routesTo({ app: { r: socket } }));
  const [worker] = ingress.workers();

  const answers = await sendAll(place.port);
  const seen = connections.map((parts) => scan(parts.join('')));
  const faults = seen.flat().flatMap(({ line, anomalies }) => anomalies.map((what) => `${line}: ${what}`));
  assert.deepEqual(faults, []);
  const hidden = seen.flat().filter(isHidden);
  assert.deepEqual(hidden, []);
  const accepted = rows.filter(
    ({ id, expect }, at) => expect === 'reject' && answers[at]?.includes(200) === true && !harmless.has(id),
  );
  assert.deepEqual(
    accepted.map(({ id }) => id),
    [],
  );
  const served = rows.filter(({ expect }, at) => expect === 'accept' && answers[at]?.includes(200) === true);
  assert.ok(served.length > 50, `only ${served.length} valid requests were served`);
  assert.deepEqual(ingress.workers(), [worker]);
});

/** @returns the statuses of the answers, by row */
async function sendAll(port: number): Promise<number[][]> {
  const answers: number[][] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < rows.length) {
      const at = next;
      next += 1;
      const row = rows[at];
      if (row !== undefined) answers[at] = await send(port, prepare(row, at));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return answers;
}

/** Gives the row our host, unless the row is about Host, without changing a length that it announces. */
function prepare({ raw_b64 }: Row, at: number): string {
  const raw = Buffer.from(raw_b64, 'base64').toString('latin1');
  const numbered = raw.replace('HOST', 'app.test').replaceAll('NNNNNN', String(at).padStart(6, '0'));
  const lineEnd = numbered.indexOf('\n') + 1;
  const named = numbered.replace(
    /^(host: *)(a|example\.com|whatever|localhost|test|[\d.]+:\d+)(?=\r?$)/gim,
    '$1app.test',
  );
  const hasHost = /host *:/i.test(raw) || lineEnd === 0;
  return hasHost ? named : `${numbered.slice(0, lineEnd)}Host: app.test\r\n${numbered.slice(lineEnd)}`;
}

function send(port: number, bytes: string): Promise<number[]> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const timer = setTimeout(() => socket.destroy(), listenFor);
    socket.setEncoding('latin1').on('data', (part: string) => (text += part));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(
        [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)]
          .map((match) => Number(match[1]))
          .filter((status) => status !== 100),
      );
    });
    socket.write(bytes, 'latin1');
  });
}

/** The requests that rows hide in a body name themselves. */
function isHidden(seen: Seen): boolean {
  return seen.line.includes('/smuggled') || values(seen, 'x-smuggled').length > 0;
}
