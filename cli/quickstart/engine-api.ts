/** The three calls that the quickstart itself makes to the engine, over its Unix socket. */
import { request } from 'node:http';
import type { Readable } from 'node:stream';

/** Path of the socket in a `unix://` endpoint. */
export function socketPath(endpoint: string): string {
  return endpoint.replace(/^unix:\/\//, '');
}

/** @returns status and body. Rejects when nothing answers within `timeout` milliseconds of silence. */
export function call(
  endpoint: string,
  method: string,
  path: string,
  { body, timeout = 5_000 }: { body?: Readable; timeout?: number } = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath: socketPath(endpoint), method, path, timeout }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    asked.on('timeout', () => asked.destroy(new Error(`no answer from the engine at ${endpoint}`)));
    asked.on('error', reject);
    if (!body) return void asked.end();
    body.on('error', (error) => asked.destroy(error));
    body.pipe(asked);
  });
}

export async function answers(endpoint: string): Promise<boolean> {
  return call(endpoint, 'GET', '/_ping', { timeout: 2_000 }).then(
    ({ status }) => status === 200,
    () => false,
  );
}
