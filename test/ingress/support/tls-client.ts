/** TLS clients for tests: they trust exactly what they are told to. */
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { TestContext } from 'node:test';

export interface Shaken {
  socket: TLSSocket;
  /** Of the certificate that was shown; the same hostname may have had another before. */
  fingerprint: string;
  reused: boolean;
}

/** Shakes hands. Rejects with the alert, as OpenSSL calls it in `code`. */
export function shake(
  t: Pick<TestContext, 'after'>,
  port: number,
  servername: string,
  options: ConnectionOptions = {},
): Promise<Shaken> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername, ...options });
    t.after(() => socket.destroy());
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const { fingerprint256: fingerprint } = socket.getPeerCertificate();
      resolve({ socket, fingerprint, reused: socket.isSessionReused() });
    });
  });
}

/** One request on a connection that stays. @returns the answer's text, head and body */
export function askOver(socket: TLSSocket, host: string, path = '/'): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const done = (error?: Error): void => {
      socket.off('data', take).off('close', closed);
      if (error) reject(error);
      else resolve(text);
    };
    const closed = (): void => done(new Error(`closed after ${JSON.stringify(text)}`));
    const take = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      const length = /content-length: (\d+)/i.exec(text)?.[1];
      const body = text.split('\r\n\r\n')[1];
      if (length !== undefined && body?.length === Number(length)) done();
    };
    socket.on('data', take).once('close', closed);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  });
}

/** The next session ticket that the server sends. */
export function nextSession(socket: TLSSocket): Promise<Buffer> {
  return new Promise((resolve) => void socket.once('session', resolve));
}
