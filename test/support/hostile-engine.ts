/** Something on a socket that behaves as engines do on their worst days. It tells its version properly, then it misbehaves. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is done with a call. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

export const behaviours = {
  /** Takes the call and never answers. */
  silent: (request) => void request.resume(),
  /** Breaks the connection in the middle of the reply. */
  half: (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('[{"Id":"a"', () => response.destroy());
  },
  /** Goes silent in the middle of the reply. */
  stuck: (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('[{"Id":"a"');
  },
  /** Answers something that is no reply. */
  garbage: (request, response) => {
    request.resume();
    response.writeHead(200).end('<html>this is no engine</html>\n');
  },
  /** Answers JSON of another shape. */
  foreign: (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"hello":[1,2,3]}\n');
  },
  /** Breaks the connection without an answer. */
  reset: (request) => void request.socket.destroy(),
  /** Fails. */
  failing: (request, response) => {
    request.resume();
    response.writeHead(500, { 'content-type': 'application/json' }).end('{"message":"out of luck"}');
  },
} satisfies Record<string, Behaviour>;

export interface HostileEngine {
  endpoint: string;
  close: () => Promise<void>;
}

/** @param behave is asked for every call but those for version and description */
export async function startHostileEngine(behave: Behaviour): Promise<HostileEngine> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-hostile-'));
  const socket = join(directory, 'engine.sock');
  const server = createServer((request, response) => {
    const { url = '' } = request;
    if (url.endsWith('/version'))
      response.end(JSON.stringify({ Version: 'hostile', ApiVersion: '1.41', MinAPIVersion: '1.12' }));
    else if (url.endsWith('/info')) response.end(JSON.stringify({ CgroupDriver: 'cgroupfs' }));
    else behave(request, response);
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    endpoint: `unix://${socket}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true });
    },
  };
}
