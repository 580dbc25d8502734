/**
 * A registry on loopback that has one small image and behaves as registries do on their worst days. It speaks as much of
 * the distribution API as an engine needs for a pull.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { digestOf, makeImage, manifestType } from './plain-image.ts';

export type Misbehaviour = (request: IncomingMessage, response: ServerResponse) => void;

/** What is asked of a registry. */
export type Part = 'ping' | 'manifest' | 'config' | 'layer';

export interface HostileRegistry {
  /** `127.0.0.1:port` */
  server: string;
  /** Digest of the manifest of its image, which every name and tag has. */
  digest: string;
  /** What it does from now on when it is asked for this part; nothing: it answers as it should. */
  behave(part: Part, misbehaviour?: Misbehaviour): void;
  /** How often it was asked for a part. */
  asked(part: Part): number;
  close(): Promise<void>;
}

/** An answer as registries word their errors. */
export function fault(status: number, code: string, message: string, headers = {}): Misbehaviour {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ errors: [{ code, message }] }));
  };
}

export const misbehaviours = {
  /** Takes the request and never answers. */
  stall: () => undefined,
  /** Begins an answer of a megabyte, and never goes on. */
  stuck: (_, response) => {
    response.writeHead(200, { 'content-length': String(2 ** 20) });
    response.write(Buffer.alloc(1024));
  },
  /** Breaks the connection in the middle of an answer. */
  breakOff: (_, response) => {
    response.writeHead(200, { 'content-length': String(2 ** 20) });
    response.write(Buffer.alloc(1024), () => response.destroy());
  },
  /** Bytes that are not those of the digest. */
  wrong: (_, response) => void response.end(Buffer.alloc(300, 'x')),
  /** A page that is no registry's. */
  page: (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hello</html>'),
  unauthorized: fault(401, 'UNAUTHORIZED', 'authentication required', {
    'www-authenticate': 'Basic realm="hostile"',
  }),
  forbidden: fault(403, 'DENIED', 'requested access to the resource is denied'),
  tooMany: fault(429, 'TOOMANYREQUESTS', 'You have reached your pull rate limit', { 'retry-after': '7' }),
  failing: fault(500, 'UNKNOWN', 'out of luck'),
  away: (_, response) =>
    void response.writeHead(503, { 'content-type': 'text/html' }).end('<html>503</html>'),
} satisfies Record<string, Misbehaviour>;

/** @param architecture of its image */
export async function startHostileRegistry(architecture = 'amd64'): Promise<HostileRegistry> {
  const { manifest, blobs, config } = await makeImage({ architecture });
  const counts = new Map<Part, number>();
  const wrongs = new Map<Part, Misbehaviour>();
  const server = createServer((request, response) => {
    request.resume();
    const { url = '' } = request;
    const blob = /\/blobs\/(sha256:[0-9a-f]{64})$/.exec(url)?.[1];
    const part =
      blob === undefined
        ? url.includes('/manifests/')
          ? 'manifest'
          : 'ping'
        : blob === config
          ? 'config'
          : 'layer';
    counts.set(part, (counts.get(part) ?? 0) + 1);
    const wrong = wrongs.get(part);
    if (wrong) {
      wrong(request, response);
      return;
    }
    if (part === 'ping') response.end('{}');
    else if (part === 'manifest') {
      const headers = { 'content-type': manifestType, 'docker-content-digest': digestOf(manifest) };
      response.writeHead(200, { ...headers, 'content-length': String(manifest.length) });
      response.end(request.method === 'HEAD' ? undefined : manifest);
    } else response.end(blobs.get(blob ?? ''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    digest: digestOf(manifest),
    behave: (part, wrong) => {
      if (wrong) wrongs.set(part, wrong);
      else wrongs.delete(part);
    },
    asked: (part) => counts.get(part) ?? 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
