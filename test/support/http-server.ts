/** A real HTTP server that answers as a test scripts it, and remembers what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Problem, ProblemCode } from '../../specs/problem.ts';
import { problems } from '../../specs/problem.ts';

export interface Asked {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Script = (asked: Asked, response: ServerResponse) => void;

export interface ScriptedServer {
  url: string;
  asked: Asked[];
  close(): Promise<void>;
}

/** Listens on a port of its own until the test is over. The script is called once a request is there with its body. */
export async function scriptedServer(test: TestContext, script: Script): Promise<ScriptedServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, body: Buffer.concat(chunks).toString() };
      asked.push(one);
      script(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  test.after(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
}

export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    .end(JSON.stringify(value));
}

export function answerProblem(
  response: ServerResponse,
  code: ProblemCode,
  detail: string,
  more: Partial<Problem> = {},
): void {
  const { status, title } = problems[code];
  const body = { type: 'about:blank', title, status, detail, code, request_id: 'req-1', ...more };
  response
    .writeHead(status, { 'content-type': 'application/problem+json', 'x-request-id': 'req-1' })
    .end(JSON.stringify(body));
}
