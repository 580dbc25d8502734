/** An HTTP proxy in front of a registry that may be slow, stop or break off in the middle of a layer. */
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Called with each piece of a layer, and how many bytes went before it: the piece goes on once it is done. Throws to break off. */
export type Passage = (chunk: Buffer, sent: number) => Promise<void>;

export interface RegistryProxy {
  /** `127.0.0.1:port`: a registry as good as the one behind it, for engines that pull. */
  server: string;
  /** What befalls each large part that is asked for from now on; nothing: it comes through. */
  layers(passage?: Passage): void;
  /** How often a large part was asked for, and with which range. */
  asked: (string | undefined)[];
  close(): Promise<void>;
}

/** Bytes from which on a part is a layer that tests speak of. */
const large = 1_000_000;

/** @param registry `host:port`, without TLS */
export async function startRegistryProxy(registry: string): Promise<RegistryProxy> {
  let passage: Passage | undefined;
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const [host, port] = registry.split(':');
    const onward = ask({ host, port, method, path: url, headers }, (answer) => {
      const isLayer = /\/blobs\//.test(url ?? '') && Number(answer.headers['content-length']) > large / 10;
      if (isLayer) asked.push(headers.range);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      void pass(answer, response, isLayer ? passage : undefined);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    layers: (next) => (passage = next),
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function pass(answer: IncomingMessage, response: ServerResponse, passage?: Passage): Promise<void> {
  try {
    let sent = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      await passage?.(chunk, sent);
      sent += chunk.length;
      if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve));
      if (response.destroyed) return;
    }
    response.end();
  } catch {
    response.destroy();
  }
}
