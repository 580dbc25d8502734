/** A client of the console on a real connection, and the service that it is for. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import type { ConsoleTicket, OpenConsole, ServerFrame } from '../../specs/console.ts';
import type { Row } from '../../specs/index.ts';
import { newId } from '../../specs/meta.ts';
import type { TestApi } from './api.ts';
import { giveDeployment, giveService } from './api.ts';
import { promote } from './released.ts';
import { aReplica, given } from './store.ts';

export interface ConsoleClient {
  socket: WebSocket;
  /** Status of the answer: 101, or that of the refusal, and its body. */
  answered: Promise<{ status: number; body: string; requestId: string | undefined }>;
  /** Bytes that came so far. */
  bytes(): Buffer;
  frames(): ServerFrame[];
  /** Code and reason, once it is closed. */
  closed: Promise<{ code: number; reason: string }>;
}

/** A service whose promoted deployment has a ready replica, in container `c-1`. */
export async function giveReadyService(api: TestApi) {
  const { project, service } = await giveService(api);
  const deployment = await giveDeployment(api, service.id);
  await promote(api, deployment);
  const replica = aReadyReplica(deployment.id, service.id);
  await given(api.store, replica);
  return { project, service, deployment, replica: replica.id };
}

/** In container `c-1`. */
export function aReadyReplica(deployment_id: string, service_id: string): Row<'Replica'> {
  return aReplica({
    ...{ id: newId('replica', Date.now(), randomBytes(10)), owner: deployment_id, observed_generation: 1 },
    spec: { deployment_id, service_id },
    status: { phase: 'Ready', container: 'c-1' },
  });
}

export async function giveTicket(
  api: TestApi,
  serviceId: string,
  body: OpenConsole = {},
  token = api.token,
): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await api.call('POST', `/v1/services/${serviceId}/console/tickets`, body, headers);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json<ConsoleTicket>().ticket;
}

/** Opens a socket with this ticket, or a query of its own. */
export async function openConsole(
  api: TestApi,
  serviceId: string,
  { ticket, query = ticket === undefined ? '' : `?ticket=${ticket}` }: { ticket?: string; query?: string },
): Promise<ConsoleClient> {
  return openConsoleAt(api, `/v1/services/${serviceId}/console/ws${query}`);
}

/** @param path with its query */
export async function openConsoleAt(api: TestApi, path: string): Promise<ConsoleClient> {
  if (!api.app.server.listening) await api.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = api.app.server.address() as AddressInfo;
  return consoleClient(`ws://127.0.0.1:${port}${path}`);
}

export function consoleClient(url: string, headers: Record<string, string> = {}): ConsoleClient {
  const socket = new WebSocket(url, { headers });
  const [bytes, frames]: [Buffer[], ServerFrame[]] = [[], []];
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) bytes.push(data);
    else frames.push(JSON.parse(String(data)) as ServerFrame);
  });
  // Told by what is answered, or by the close.
  socket.on('error', () => undefined);
  const answered = new Promise<Awaited<ConsoleClient['answered']>>((resolve, reject) => {
    socket.once('upgrade', ({ headers }) =>
      resolve({ status: 101, body: '', requestId: String(headers['x-request-id']) }),
    );
    socket.once('unexpected-response', (_request, response) => {
      const status = response.statusCode ?? 0;
      const requestId = response.headers['x-request-id'] as string | undefined;
      response
        .toArray()
        .then(
          (chunks) => resolve({ status, body: Buffer.concat(chunks as Buffer[]).toString(), requestId }),
          reject,
        );
    });
  });
  const closed = once(socket, 'close').then(([code, reason]: unknown[]) => ({
    code: code as number,
    reason: String(reason),
  }));
  return { socket, answered, bytes: () => Buffer.concat(bytes), frames: () => frames, closed };
}
