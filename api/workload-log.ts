/** What a service's workload prints, as events to follow and as text. What has become secret since it was written is hidden. */
import type { Row } from '../specs/index.ts';
import type { WorkloadLogLine } from '../specs/log-entry.ts';
import { leadLines, type Masks } from '../specs/mask.ts';
import type { HeldLine } from '../specs/mask/held.ts';
import { ProblemError } from '../specs/problem.ts';
import type { LogReader, WorkloadLogItem, WorkloadLogQuery } from './ports.ts';
import type { EventSource } from './sse.ts';
import type { Store } from './store/store.ts';

interface LogParts {
  logs: LogReader;
  masks: Masks;
}

type Service = Pick<Row<'Service'>, 'id' | 'owner'>;

/**
 * Where a stream stands. What was there when it began comes in the order of times, so that a number does not say how far it
 * has come: `upTo` is where the past ends, `sent` how many lines of it the client has. After that, lines come by number.
 */
type Position = { upTo: number | undefined; sent: number } | { after: number };

/** Lines that the query asks for, then what is printed, until the service is gone. @param resumed id of the last event that came */
export function workloadEvents(
  { store, logs, masks }: LogParts & { store: Store },
  service: Service,
  query: WorkloadLogQuery,
  resumed: string,
): EventSource {
  const read = maskedReader({ logs, masks }, service);
  const lasting = { ...query };
  delete lasting.tail;
  let position = positionOf(resumed);
  let isOver = false;

  async function* past(upTo: number, sent: number) {
    let count = 0;
    for await (const { line } of read({ ...query, upTo })) {
      if (++count <= sent) continue;
      position = { upTo, sent: count };
      yield { id: `${upTo}.${count}`, event: 'log', data: line };
    }
    position = { after: upTo };
  }

  async function* next(after: number) {
    for await (const { seq, line } of read({ ...lasting, after })) {
      position = { after: seq };
      yield { id: seq, event: 'log', data: line };
    }
  }

  return {
    async *drain() {
      isOver = (await store.get('Service', service.id)) === undefined;
      if ('sent' in position)
        yield* past(position.upTo ?? (await logs.lastWorkloadLine(service.id)), position.sent);
      if ('after' in position) yield* next(position.after);
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

/** An id that is none of ours begins anew. */
function positionOf(lastEvent: string): Position {
  const [, number, sent] = /^(\d{1,16})(?:\.(\d{1,9}))?$/.exec(lastEvent) ?? [];
  if (number === undefined) return { upTo: undefined, sent: 0 };
  return sent === undefined ? { after: Number(number) } : { upTo: Number(number), sent: Number(sent) };
}

/**
 * Lines up to now, as the workload printed them or, with all that is known of each, as JSON. Throws `not_found` when an
 * earlier run is asked for and nothing of one is kept.
 */
export async function* workloadText(
  parts: LogParts,
  service: Service,
  query: WorkloadLogQuery,
  format: 'plain' | 'ndjson',
): AsyncGenerator<string> {
  let isEmpty = true;
  for await (const { line } of maskedReader(parts, service)(query)) {
    isEmpty = false;
    yield `${textOf(line, format)}\n`;
  }
  if (isEmpty && query.previous === true)
    throw new ProblemError(
      'not_found',
      'No earlier run is kept: no replica has been started again, or its lines are gone by now. Leave `previous` out to read the present one.',
    );
}

function textOf(line: WorkloadLogLine, format: 'plain' | 'ndjson'): string {
  return format === 'plain' ? line.line : JSON.stringify(line);
}

/** Reads on from one query to the next. The first, which may begin in the middle of something, is led up to. */
function maskedReader(
  { logs, masks }: LogParts,
  { id, owner }: Service,
): (query: WorkloadLogQuery) => AsyncGenerator<WorkloadLogItem, void, undefined> {
  const held = masks.held<WorkloadLogItem>(owner ?? '');
  const shown = (lines: HeldLine<WorkloadLogItem>[]): WorkloadLogItem[] =>
    lines.flatMap(({ line, item: { seq, line: kept, isLead } }) =>
      isLead === true ? [] : [{ seq, line: { ...kept, line } }],
    );
  let lead = leadLines;
  return async function* (query) {
    // What a query left that broke off: it is read again.
    held.take();
    for await (const item of logs.workloadLog(id, { ...query, lead })) {
      held.push(`${item.line.replica} ${item.line.stream}`, item.line.line, item);
      yield* shown(held.ready());
    }
    yield* shown(held.take());
    lead = 0;
  };
}
