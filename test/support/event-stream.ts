/** Server-Sent Events of the API on a real connection. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DeploymentPhase } from '../../specs/deployment.ts';
import type { DeploymentLogEntry, WorkloadLogLine } from '../../specs/log-entry.ts';
import { giveDeployment, giveService, type TestApi } from './api.ts';

export const at = '2030-01-01T00:00:00.000Z';

/** Of one that sleeps: the heartbeat, and the next look at what its reader may. */
export const timersOfStream = 2;

export function line(text: string): DeploymentLogEntry {
  return { event: 'log', at, phase: 'build', stream: 'stdout', line: text };
}

export function printed(text: string, replica = 'rep_1', time = at): WorkloadLogLine {
  return { at: time, replica, stream: 'stdout', line: text };
}

export interface Stream {
  response: IncomingMessage;
  /** Everything that came so far. */
  text(): string;
  /** The events that came so far, as `id event data`. */
  events(): string[];
  ended(): boolean;
  /** Goes away, as a client does. */
  leave(): void;
}

/** @param path of the stream, with its query */
export async function openStream(api: TestApi, path: string, lastEventId?: string): Promise<Stream> {
  if (!api.app.server.listening) await api.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = api.app.server.address() as AddressInfo;
  const headers = {
    authorization: `Bearer ${api.token}`,
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  const sent = request({ port, host: '127.0.0.1', path, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  response.on('error', () => undefined);
  return {
    response,
    text: () => text,
    events: () => text.split('\n\n').flatMap((frame) => (frame.includes('event: ') ? [eventOf(frame)] : [])),
    ended: () => response.readableEnded,
    leave: () => void sent.destroy(),
  };
}

function eventOf(frame: string): string {
  const fields = new Map(frame.split('\n').map((field) => field.split(/: (.*)/s) as [string, string]));
  const data = JSON.parse(fields.get('data') ?? '') as { line?: string; status?: string };
  return [fields.get('id') ?? '-', fields.get('event'), data.line ?? data.status].join(' ');
}

/** A service with a deployment that is under way, and the path of its stream. */
export async function giveStream(api: TestApi) {
  const { service } = await giveService(api);
  const { id } = await giveDeployment(api, service.id);
  const reach = (phase: DeploymentPhase) => api.store.patchStatus('Deployment', id, 1, { phase });
  return { id, reach, serviceId: service.id, path: `/v1/deployments/${id}/logs/stream` };
}
