/** A certificate authority that behaves as they do on their worst days: it greets and registers properly, then it misbehaves. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { makePair } from './certificates.ts';

/** What is done with an order. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

export interface HostileAuthority {
  directory: string;
  /** PEM that its own certificate is trusted by. */
  ca: string;
  behave(behaviour: Behaviour): void;
  /** Orders that were asked for. */
  asked(): number;
}

/** Answers a problem document (RFC 8555, 6.7). */
export function problem(status: number, type: string, headers: Record<string, string> = {}): Behaviour {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers });
    response.end(
      JSON.stringify({ type: `urn:ietf:params:acme:error:${type}`, detail: 'out\nof luck', status }),
    );
  };
}

export async function hostileAuthority(t: Pick<TestContext, 'after'>): Promise<HostileAuthority> {
  const { chain, key } = await makePair('localhost', '127.0.0.1');
  let behaviour: Behaviour = (request) => request.socket.destroy();
  let asked = 0;
  const server = createServer({ cert: chain, key }, (request, response) => {
    request.resume();
    const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const answer = (status: number, body: object, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'replay-nonce': 'n', ...headers });
      response.end(JSON.stringify(body));
    };
    const paths = { newNonce: `${base}/nonce`, newAccount: `${base}/account`, newOrder: `${base}/order` };
    if (request.url === '/dir') answer(200, paths);
    else if (request.url === '/nonce') answer(200, {});
    else if (request.url === '/account') answer(201, {}, { location: `${base}/account/1` });
    else {
      asked += 1;
      behaviour(request, response);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    directory: `https://127.0.0.1:${(server.address() as AddressInfo).port}/dir`,
    ca: chain,
    behave: (next) => (behaviour = next),
    asked: () => asked,
  };
}
