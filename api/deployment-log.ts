/** The log of a deployment, as events to follow and as text. */
import type { DeploymentLogEntry } from '../specs/log-entry.ts';
import { isSettled } from '../specs/deployment.ts';
import type { LogReader } from './ports.ts';
import type { EventSource } from './sse.ts';
import type { Store } from './store/store.ts';

/**
 * Entries after `after`, then what is appended, then `end` once the deployment has settled.
 * The phase is read before the log: writers append first and change the status then, so a settled phase means that
 * the log read afterwards is whole.
 */
export function deploymentEvents(
  { store, logs }: { store: Store; logs: LogReader },
  id: string,
  after: number,
): EventSource {
  let last = after;
  let isOver = false;
  return {
    async *drain() {
      const row = await store.get('Deployment', id);
      for await (const { seq, entry } of logs.deploymentLog(id, last)) {
        last = seq;
        const { event, ...data } = entry;
        yield { id: seq, event, data };
      }
      isOver = row === undefined || isSettled(row.status.phase);
      if (row && isOver) yield { event: 'end', data: { status: row.status.phase } };
    },
    isOver: () => isOver,
    subscribe(ring) {
      const unsubscribe = [
        logs.onDeploymentLog(id, ring),
        store.onChange((change) => {
          if (change.kind === 'Deployment' && change.id === id) ring();
        }),
      ];
      return () => {
        for (const stop of unsubscribe) stop();
      };
    },
  };
}

/** The whole log, one line each. */
export async function* deploymentText(logs: LogReader, id: string): AsyncGenerator<string> {
  for await (const { entry } of logs.deploymentLog(id, 0)) yield `${textOf(entry)}\n`;
}

function textOf(entry: DeploymentLogEntry): string {
  return entry.event === 'log'
    ? entry.line
    : `${entry.at} ${entry.status} (${entry.reason}): ${entry.message}`;
}
