/** What is noted of the node's disks for people: what was taken from them, and that there is no room. */
import { formatBytes } from '../../specs/bytes.ts';
import type { EventRecorder, EventType } from '../../specs/event.ts';
import type { Disk, GarbageItem } from '../../specs/gc.ts';
import type { NodeReason, Reason } from '../../specs/reasons.ts';

export interface RecordDeps {
  events: EventRecorder;
  nodeId: string;
}

/** Nothing is noted where nothing was taken. @param why as it reads after a colon */
export function recordCollection(items: readonly GarbageItem[], why: string, deps: RecordDeps): void {
  const taken = items.filter(({ removed }) => removed);
  if (taken.length === 0) return;
  const kinds = [...Map.groupBy(taken, ({ kind }) => kind)].map(
    ([kind, { length }]) => `${length} ${kind}${length === 1 ? '' : 's'}`,
  );
  const bytes = formatBytes(taken.reduce((sum, item) => sum + (item.bytes ?? 0), 0));
  note('Normal', 'GarbageCollected', `Removed ${kinds.join(', ')} (${bytes}): ${why}.`, deps);
}

export function recordLowDisk({ path, floor_bytes: floor }: Disk, deps: RecordDeps): void {
  const message = `${path} has less free than its floor of ${formatBytes(floor)}: pushes, deploys and pulls of jobs are refused until svc gc or somebody makes room.`;
  note('Warning', 'DiskLow', message, deps);
}

function note(
  type: EventType,
  reason: Reason<typeof NodeReason>,
  message: string,
  { events, nodeId }: RecordDeps,
): void {
  // Of no project: super-admins see it.
  const of = { kind: 'Node', object: nodeId, project_id: '', service_id: null, name: 'node' };
  events.record({ ...of, type, reason, message });
}
