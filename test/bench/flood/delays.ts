/**
 * How long lines of a workload take to whoever follows them: the workload prints the time, and it is read against the
 * clock when the line arrives. The clock is /proc/uptime, which a container shares with its host; it ticks every 10 ms.
 */
import { readFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { WorkloadLogLine } from '../../../specs/log-entry.ts';
import { tokenOf } from '../../support/node-api.ts';
import type { TestNode } from '../../support/node.ts';

/** What the workload does, as a line of a shell. */
export const tellingTime = 'while :; do cat /proc/uptime; sleep 0.1; done';

export interface Delays {
  /** In milliseconds, of the lines that came since the last call. */
  take(): number[];
  stop(): void;
}

/** Follows the output of a service as `svc logs -f` does. */
export async function followDelays(node: TestNode, service: string): Promise<Delays> {
  const headers = { authorization: `Bearer ${await tokenOf(node)}`, accept: 'text/event-stream' };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${node.apiUrl}/v1/services/${service}/logs/stream?tail=0`, { headers }, resolve).on('error', reject);
  });
  if (response.statusCode !== 200) throw new Error(`the log cannot be followed: ${response.statusCode}`);
  response.on('error', () => undefined);
  let delays: number[] = [];
  createInterface(response).on('line', (text) => {
    if (!text.startsWith('data: ')) return;
    const { line } = JSON.parse(text.slice(6)) as WorkloadLogLine;
    void uptime().then((now) => delays.push((now - Number(line.split(' ')[0])) * 1_000));
  });
  return {
    take() {
      const taken = delays;
      delays = [];
      return taken;
    },
    stop: () => void response.destroy(),
  };
}

async function uptime(): Promise<number> {
  return Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0]);
}
