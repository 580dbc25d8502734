/** The logs of the services that are in use, each opened once, and what is on its way there. */
import { join } from 'node:path';
import type { Clock } from '../../specs/clock.ts';
import type { Log } from '../runtime/log.ts';
import { createBatcher, type Batcher } from './batcher.ts';
import { lazily } from './lazily.ts';
import { createReorder, type Reorder, type Timed } from './reorder.ts';
import { openServiceLog, type Entry, type LogBounds, type ServiceLog } from './service-log.ts';

export interface OpenServicesOptions extends Partial<LogBounds> {
  dir: string;
  clock: Clock;
  log: Pick<Log, 'error'>;
}

type Pending = Entry & Timed;

export interface OpenService {
  state: () => Promise<ServiceLog>;
  reorder: Reorder<Pending>;
  /** An entry, or only a look whether something has to go. */
  batcher: Batcher<Pending | 'trim'>;
  /** The replicas that are followed, and the run of each as it was last written down. */
  live: Map<string, string | undefined>;
}

export interface OpenServices {
  /** Opens it when it is not in use yet. */
  of(id: string): OpenService;
  find(id: string): OpenService | undefined;
  /** Once everything that was to be written before is: what can be read now. */
  settled(id: string): Promise<ServiceLog>;
  /** Nothing of it is written any more. @returns what is under way still */
  forget(id: string): Promise<void>;
  /** Writes what waits. */
  close(): Promise<void>;
}

/** 100 replicas, the most that a service has, keep at least one file each. */
const defaults: LogBounds = {
  segmentBytes: 2 ** 20,
  serviceBytes: 128 * 2 ** 20,
  keepMs: 30 * 86_400_000,
};

/** Milliseconds that a line waits for an earlier one of another replica. A replica alone waits for nobody. */
const reorderMs = 150;

/** @param onWritten told the service whenever something of it was written */
export function openServices(options: OpenServicesOptions, onWritten: (id: string) => void): OpenServices {
  const all = new Map<string, OpenService>();
  const of = (id: string): OpenService => {
    const known = all.get(id);
    if (known) return known;
    const opened: OpenService = openService(id, options, {
      isWanted: () => all.get(id) === opened,
      onWritten: () => onWritten(id),
    });
    all.set(id, opened);
    return opened;
  };
  return {
    of,
    find: (id) => all.get(id),
    async settled(id) {
      const { batcher, state } = of(id);
      await batcher.settled();
      return state();
    },
    async forget(id) {
      const known = all.get(id);
      all.delete(id);
      await known?.batcher.settled();
    },
    async close() {
      for (const { reorder } of all.values()) reorder.flush();
      await Promise.all([...all.values()].map(({ batcher }) => batcher.settled()));
    },
  };
}

/** @param hooks whether it is still to be written, and who is told when it was */
function openService(
  id: string,
  { dir, clock, log, ...bounds }: OpenServicesOptions,
  { isWanted, onWritten }: { isWanted: () => boolean; onWritten: () => void },
): OpenService {
  const live: OpenService['live'] = new Map();
  const state = lazily(() => openServiceLog(join(dir, id), { ...defaults, ...bounds }));
  const write = async (batch: (Pending | 'trim')[]): Promise<void> => {
    if (!isWanted()) return;
    const service = await state();
    const entries = batch.filter((entry) => entry !== 'trim');
    await service.write(entries, clock.now());
    await service.trim(clock.now(), (replica) => live.has(replica));
    onWritten();
  };
  const batcher = createBatcher(write, (error) =>
    log.error({ err: error, service: id }, "a workload's output cannot be written, lines of it are lost"),
  );
  const reorder = createReorder<Pending>(
    clock,
    () => (live.size > 1 ? reorderMs : 0),
    (entries) => {
      for (const entry of entries) batcher.push(entry);
    },
  );
  return { state, reorder, batcher, live };
}
