/** The log of a deployment, as events to follow and as text. What has become secret since it was written is hidden. */
import { isSettled } from '../specs/deployment.ts';
import type { Row } from '../specs/index.ts';
import type { DeploymentLogEntry } from '../specs/log-entry.ts';
import { leadLines, type Masks } from '../specs/mask.ts';
import type { LogReader } from './ports.ts';
import type { EventSource } from './sse.ts';
import type { Store } from './store/store.ts';

interface LogParts {
  logs: LogReader;
  masks: Masks;
}

type Deployment = Pick<Row<'Deployment'>, 'id' | 'spec'>;

/**
 * Entries after `after`, then what is appended, then `end` once the deployment has settled.
 * The phase is read before the log: writers append first and change the status then, so a settled phase means that
 * the log read afterwards is whole.
 */
export function deploymentEvents(
  { store, logs, masks }: LogParts & { store: Store },
  { id, spec }: Deployment,
  after: number,
): EventSource {
  const mask = entryMask(masks, spec.project_id);
  let last = Math.max(0, after - leadLines);
  let isOver = false;
  return {
    async *drain() {
      const row = await store.get('Deployment', id);
      for await (const { seq, entry } of logs.deploymentLog(id, last)) {
        last = seq;
        const { event, ...data } = mask(entry);
        if (seq > after) yield { id: seq, event, data };
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
export async function* deploymentText(
  { logs, masks }: LogParts,
  { id, spec }: Deployment,
): AsyncGenerator<string> {
  const mask = entryMask(masks, spec.project_id);
  for await (const { entry } of logs.deploymentLog(id, 0)) yield `${textOf(mask(entry))}\n`;
}

function entryMask(masks: Masks, projectId: string): (entry: DeploymentLogEntry) => DeploymentLogEntry {
  const mask = masks.lines(projectId);
  return (entry) =>
    entry.event === 'log'
      ? { ...entry, line: mask(`${entry.phase} ${entry.stream}`, entry.line) }
      : { ...entry, message: masks.text(projectId, entry.message) };
}

function textOf(entry: DeploymentLogEntry): string {
  return entry.event === 'log'
    ? entry.line
    : `${entry.at} ${entry.status} (${entry.reason}): ${entry.message}`;
}
