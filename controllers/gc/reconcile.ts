/** One pass over everything: there is only one key. What is low on room is looked at again soon. */
import type { Disk } from '../../specs/gc.ts';
import type { Reconcile } from '../runtime/reconciler.ts';
import type { Collector } from './collector.ts';
import { lowestDisk } from './disks.ts';

export interface GcDeps {
  collector: Pick<Collector, 'routine'>;
  disks: () => Promise<Disk[]>;
}

/** Milliseconds between two passes while a disk is below its floor. */
const againAfter = 60_000;

export function gcReconciler({ collector, disks }: GcDeps): Reconcile {
  return async (_id, { signal }) => {
    await collector.routine(signal);
    return lowestDisk(await disks()) ? { requeueAfter: againAfter } : undefined;
  };
}
