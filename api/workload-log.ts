/** What a service's workload prints, as events to follow and as text. */
import type { WorkloadLogLine } from '../specs/log-entry.ts';
import type { LogReader, WorkloadLogQuery } from './ports.ts';
import type { EventSource } from './sse.ts';
import type { Store } from './store/store.ts';

/** Lines that the query asks for, then what is printed, until the service is gone. */
export function workloadEvents(
  { store, logs }: { store: Store; logs: LogReader },
  serviceId: string,
  query: WorkloadLogQuery,
): EventSource {
  const { tail, ...rest } = query;
  let position: WorkloadLogQuery = { ...rest, ...(tail === undefined ? {} : { tail: Math.max(tail, 1) }) };
  // Nothing of the past is wanted, but where it ends must be known.
  let skip = tail === 0;
  let isOver = false;
  return {
    async *drain() {
      isOver = (await store.get('Service', serviceId)) === undefined;
      for await (const { seq, line } of logs.workloadLog(serviceId, position)) {
        position = { ...rest, after: seq };
        if (!skip) yield { id: seq, event: 'log', data: line };
      }
      skip = false;
      position = { ...rest, ...(position.after === undefined ? {} : { after: position.after }) };
    },
    isOver: () => isOver,
    subscribe(ring) {
      const unsubscribe = [
        logs.onWorkloadLog(serviceId, ring),
        store.onChange((change) => {
          if (change.kind === 'Service' && change.id === serviceId && change.by === 'purged') ring();
        }),
      ];
      return () => {
        for (const stop of unsubscribe) stop();
      };
    },
  };
}

/** Lines up to now, as the workload printed them or, with all that is known of each, as JSON. */
export async function* workloadText(
  logs: LogReader,
  serviceId: string,
  query: WorkloadLogQuery,
  format: 'plain' | 'ndjson',
): AsyncGenerator<string> {
  if (query.tail === 0) return;
  for await (const { line } of logs.workloadLog(serviceId, query)) yield `${textOf(line, format)}\n`;
}

function textOf(line: WorkloadLogLine, format: 'plain' | 'ndjson'): string {
  return format === 'plain' ? line.line : JSON.stringify(line);
}
