/** One HTTPS request on a connection of its own. */
import type { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { TLSSocket } from 'node:tls';

export interface TlsAnswer {
  status: number;
  text: string;
  certificate: X509Certificate;
}

/** @param ca the only root that is trusted; undefined: whatever is shown is good enough */
export function askTls(port: number, host: string, ca: string | undefined): Promise<TlsAnswer> {
  return new Promise((resolve, reject) => {
    const trust = ca === undefined ? { rejectUnauthorized: false } : { ca };
    const options = { host: '127.0.0.1', port, servername: host, headers: { host }, agent: false as const };
    const asked = request({ ...options, ...trust }, (response) => {
      const { socket } = response;
      const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', reject).on('end', () => {
        if (certificate === undefined) reject(new Error('no certificate was shown'));
        else resolve({ status: response.statusCode ?? 0, text, certificate });
      });
    });
    asked.on('error', reject).end();
  });
}
