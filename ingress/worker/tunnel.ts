/** A connection that became something else (WebSocket): bytes either way until both have ended. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { headerValue, responseHeaders } from './headers.ts';

/** Milliseconds after which the kernel asks whether a silent peer is still there. */
const probeAfter = 30_000;

/** Only WebSocket: h2c and others would smuggle requests past the ingress (reliability, I9). */
export function isWebSocket(request: Pick<IncomingMessage, 'method' | 'rawHeaders' | 'headers'>): boolean {
  const { method, headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  return method === 'GET' && !hasBody && headers.upgrade?.toLowerCase() === 'websocket';
}

/** What goes to the replica besides the usual: these two are hop-by-hop. */
export const upgradeHeaders = ['Connection', 'Upgrade', 'Upgrade', 'websocket'] as const;

/** @returns the answer's head as the client gets it; undefined when the replica switched to something else */
export function switchingHead({ statusMessage, rawHeaders }: IncomingMessage): string | undefined {
  if (headerValue(rawHeaders, 'upgrade')?.toLowerCase() !== 'websocket') return undefined;
  const headers = [...upgradeHeaders, ...responseHeaders(rawHeaders)];
  let head = `HTTP/1.1 101 ${statusMessage ?? 'Switching Protocols'}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at] ?? ''}: ${headers[at + 1] ?? ''}\r\n`;
  return `${head}\r\n`;
}

/** Calls `ended` once, when neither side can say anything any longer. */
export function joinTunnel(client: Socket, replica: Socket, ended: () => void): void {
  let open = 2;
  for (const [from, to] of [
    [client, replica],
    [replica, client],
  ] as const) {
    from.setTimeout(0);
    from.setNoDelay(true);
    from.setKeepAlive(true, probeAfter);
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      // After an orderly end the other side still gets what was sent to it, but can say nothing any longer.
      if (from.readableEnded) to.destroySoon();
      else to.destroy();
      open -= 1;
      if (open === 0) ended();
    });
  }
}
