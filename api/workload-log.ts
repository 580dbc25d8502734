/** What a service's workload prints, as events to follow and as text. What has become secret since it was written is hidden. */
import type { Row } from '../specs/index.ts';
import type { WorkloadLogLine } from '../specs/log-entry.ts';
import { leadLines, type Masks } from '../specs/mask.ts';
import type { LogReader, WorkloadLogItem, WorkloadLogQuery } from './ports.ts';
import type { EventSource } from './sse.ts';
import type { Store } from './store/store.ts';

interface LogParts {
  logs: LogReader;
  masks: Masks;
}

type Service = Pick<Row<'Service'>, 'id' | 'owner'>;

/** Lines that the query asks for, then what is printed, until the service is gone. */
export function workloadEvents(
  { store, logs, masks }: LogParts & { store: Store },
  service: Service,
  query: WorkloadLogQuery,
): EventSource {
  const read = maskedReader({ logs, masks }, service);
  const { tail, ...rest } = query;
  let position: WorkloadLogQuery = { ...rest, ...(tail === undefined ? {} : { tail: Math.max(tail, 1) }) };
  // Nothing of the past is wanted, but where it ends must be known.
  let skip = tail === 0;
  let isOver = false;
  return {
    async *drain() {
      isOver = (await store.get('Service', service.id)) === undefined;
      for await (const { seq, line } of read(position)) {
        position = { ...rest, after: seq };
        if (!skip) yield { id: seq, event: 'log', data: line };
      }
      skip = false;
      position = { ...rest, ...(position.after === undefined ? {} : { after: position.after }) };
    },
    isOver: () => isOver,
    subscribe(ring) {
      const unsubscribe = [
        logs.onWorkloadLog(service.id, ring),
        store.onChange((change) => {
          if (change.kind === 'Service' && change.id === service.id && change.by === 'purged') ring();
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
  parts: LogParts,
  service: Service,
  query: WorkloadLogQuery,
  format: 'plain' | 'ndjson',
): AsyncGenerator<string> {
  if (query.tail === 0) return;
  for await (const { line } of maskedReader(parts, service)(query)) yield `${textOf(line, format)}\n`;
}

function textOf(line: WorkloadLogLine, format: 'plain' | 'ndjson'): string {
  return format === 'plain' ? line.line : JSON.stringify(line);
}

/** Reads on from one query to the next. The first, if it begins somewhere in the middle, is led up to. */
function maskedReader(
  { logs, masks }: LogParts,
  { id, owner }: Service,
): (query: WorkloadLogQuery) => AsyncGenerator<WorkloadLogItem, void, undefined> {
  const mask = masks.lines(owner ?? '');
  const masked = ({ seq, line }: WorkloadLogItem): WorkloadLogItem => {
    const source = `${line.replica} ${line.stream}`;
    return { seq, line: { ...line, line: mask(source, line.line) } };
  };
  let isLedUpTo = false;
  return async function* (query) {
    const { after = 0, since, tail, replica } = query;
    isLedUpTo ||= after === 0 && since === undefined && tail === undefined;
    for await (const item of logs.workloadLog(id, query)) {
      if (!isLedUpTo) {
        const before = { upTo: item.seq - 1, tail: leadLines, ...(replica === undefined ? {} : { replica }) };
        for await (const earlier of logs.workloadLog(id, before)) masked(earlier);
        isLedUpTo = true;
      }
      yield masked(item);
    }
  };
}
