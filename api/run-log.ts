/** The log of a run, as events to follow and as text. What has become secret since it was written is hidden. */
import { isOver } from '../specs/job.ts';
import type { Row } from '../specs/index.ts';
import type { RunLogEntry } from '../specs/log-entry.ts';
import { leadLines, type Masks } from '../specs/mask.ts';
import type { HeldLine } from '../specs/mask/held.ts';
import type { LogReader } from './ports.ts';
import type { EventSource } from './sse.ts';
import type { Store } from './store/store.ts';

interface LogParts {
  logs: LogReader;
  masks: Masks;
}

interface Item {
  seq: number;
  entry: RunLogEntry;
}

type Run = Pick<Row<'Run'>, 'id' | 'spec'>;

/**
 * Entries after `after`, then what is appended, then `end` once the run is over. Its phase is read before the log: the log is
 * whole before the run is over, so a run that was over then has no more to say.
 */
export function runEvents(
  { store, logs, masks }: LogParts & { store: Store },
  { id, spec }: Run,
  after: number,
): EventSource {
  const read = maskedReader({ logs, masks }, { id, spec });
  let last = Math.max(0, after - leadLines);
  let hasEnded = false;
  return {
    async *drain() {
      const row = await store.get('Run', id);
      for await (const { seq, entry } of read(last)) {
        last = seq;
        const { event, ...data } = entry;
        if (seq > after) yield { id: seq, event, data };
      }
      hasEnded = row === undefined || isOver(row.status.phase);
      if (row && hasEnded) {
        const { phase: status, exit_code, reason } = row.status;
        yield { event: 'end', data: { status, reason, exit_code } };
      }
    },
    isOver: () => hasEnded,
    subscribe(ring) {
      const unsubscribe = [
        logs.onRunLog(id, ring),
        store.onChange((change) => {
          if (change.kind === 'Run' && change.id === id) ring();
        }),
      ];
      return () => {
        for (const stop of unsubscribe) stop();
      };
    },
  };
}

/** What it printed, and nothing else; where there was more than one try, a line before each of them but the first. */
export async function* runText(parts: LogParts, run: Run): AsyncGenerator<string> {
  let shown = 1;
  for await (const { entry } of maskedReader(parts, run)(0)) {
    if (entry.event !== 'log') continue;
    if (entry.try !== shown) yield `--- try ${entry.try} ---\n`;
    shown = entry.try;
    yield `${entry.line}\n`;
  }
}

/** Reads on from one number to the next, up to the end of what is there. */
function maskedReader(
  { logs, masks }: LogParts,
  { id, spec }: Run,
): (after: number) => AsyncGenerator<Item, void, undefined> {
  const held = masks.held<Item>(spec.project_id);
  const push = ({ seq, entry }: Item): void => {
    if (entry.event === 'log') held.push(`${entry.try} ${entry.stream}`, entry.line, { seq, entry });
    // Takes its place among the lines.
    else held.push('', '', { seq, entry: { ...entry, message: masks.text(spec.project_id, entry.message) } });
  };
  return async function* (after) {
    // What was left when a reading broke off: it is read again.
    held.take();
    for await (const item of logs.runLog(id, after)) {
      push(item);
      yield* held.ready().map(shownOf);
    }
    yield* held.take().map(shownOf);
  };
}

function shownOf({ line, item: { seq, entry } }: HeldLine<Item>): Item {
  return { seq, entry: entry.event === 'log' ? { ...entry, line } : entry };
}
