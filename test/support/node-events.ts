/** The stream of a deployment's log at a real node, as it comes. */
import { request } from 'node:http';
import type { DeploymentLogEntry } from '../../specs/log-entry.ts';
import type { TestNode } from './node.ts';
import { tokenOf } from './node-api.ts';

export interface StreamedEvent {
  /** Sequence number; undefined where the event has none. */
  id: number | undefined;
  event: string;
  data: Partial<DeploymentLogEntry> & { line?: string; status?: string };
}

export interface LogStream {
  /** What came so far. */
  events(): StreamedEvent[];
  /** Resolves when the node has closed it. */
  ended: Promise<void>;
  leave(): void;
}

/** @param after id of the last event that the client has */
export async function streamLog(node: TestNode, deploymentId: string, after?: number): Promise<LogStream> {
  const { hostname: host, port } = new URL(node.apiUrl);
  const headers = {
    authorization: `Bearer ${await tokenOf(node)}`,
    ...(after === undefined ? {} : { 'last-event-id': String(after) }),
  };
  const path = `/v1/deployments/${deploymentId}/logs/stream`;
  const asked = request({ host, port, path, headers, agent: false });
  let text = '';
  const ended = new Promise<void>((resolve, reject) => {
    asked.on('error', reject);
    asked.on('response', (response) => {
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('close', resolve);
      response.on('error', () => undefined);
    });
  });
  ended.catch(() => undefined);
  asked.end();
  return {
    // The last part may be incomplete.
    events: () => text.split('\n\n').slice(0, -1).flatMap(eventOf),
    ended,
    leave: () => void asked.destroy(),
  };
}

function eventOf(frame: string): StreamedEvent[] {
  const fields = new Map(
    frame
      .split('\n')
      .filter((line) => !line.startsWith(':'))
      .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  );
  const [event, id] = [fields.get('event'), fields.get('id')];
  if (event === undefined) return [];
  const data = JSON.parse(fields.get('data') ?? '{}') as StreamedEvent['data'];
  return [{ id: id === undefined ? undefined : Number(id), event, data }];
}
