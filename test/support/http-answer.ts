/** One HTTP request on a connection of its own, and the whole answer. */
import { request, type RequestOptions } from 'node:http';
import { Readable } from 'node:stream';

export interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}

/** @param body is sent as it is; a stream is left alone once there is an answer */
export function ask(options: RequestOptions, body?: string | Buffer | Readable): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ agent: false, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    asked.on('error', reject);
    if (body instanceof Readable) body.pipe(asked);
    else asked.end(body);
  });
}

/**
 * One call to the engine's API, to look at the world or to disturb it.
 * @param endpoint `unix://…`
 * @param body sent as JSON
 */
export function engineCall(endpoint: string, method: string, path: string, body?: string): Promise<Answer> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  return ask({ socketPath: endpoint.replace('unix://', ''), method, path, headers }, body);
}
