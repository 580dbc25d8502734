/** Consoles: a ticket, and the socket that it opens. */
import type { Clock } from '../../../specs/clock.ts';
import type { ConsoleTicket, OpenConsole } from '../../../specs/console.ts';
import type { ConsoleSocket, ConsoleSocketOptions } from '../console-socket.ts';
import type { Transport } from '../http.ts';
import { path } from '../path.ts';

export function consoleRoutes(http: Transport, { clock, agent }: { clock: Clock; agent: string }) {
  return {
    /** Runs a command beside a service's workload. */
    async openConsole(
      id: string,
      json: OpenConsole,
      output: ConsoleSocketOptions['output'],
    ): Promise<ConsoleSocket> {
      const at = path`/v1/services/${id}/console/tickets`;
      const { ticket } = await http.json<ConsoleTicket>('POST', at, { json, keyless: true });
      // Loaded by this one command: the library takes longer than a small command does.
      const { openConsoleSocket } = await import('../console-socket.ts');
      const url = new URL(`${http.url.replace(/\/$/, '')}${path`/v1/services/${id}/console/ws`}`);
      url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
      url.searchParams.set('ticket', ticket);
      return openConsoleSocket({ base: http.url, url, agent, clock, output });
    },
  };
}
