/** Says no to what needs room while there is too little of it, before it harms what runs. */
import type { Clock } from '../../specs/clock.ts';
import type { Disk } from '../../specs/gc.ts';
import { ProblemError } from '../../specs/problem.ts';
import { formatBytes } from '../../specs/bytes.ts';
import { lowestDisk } from './disks.ts';

export interface RoomDeps {
  look: () => Promise<Disk[]>;
  /** Bytes that a collection would free; undefined while nobody knows. */
  wouldFree: () => number | undefined;
  /** A disk has come below its floor. */
  onLow: (disk: Disk) => void;
  clock: Clock;
}

export interface Room {
  /** As last seen. */
  disks(): Disk[];
  /** Throws `unavailable` while a disk is below its floor, with what may be done about it. */
  require(): Promise<void>;
  close(): Promise<void>;
}

/** Throws `unavailable` while a disk is below its floor, with what may be done about it. */
export async function requireRoom({ look, wouldFree }: Pick<RoomDeps, 'look' | 'wouldFree'>): Promise<void> {
  const low = lowestDisk(await look());
  if (low) throw new ProblemError('unavailable', refusal(low, wouldFree()), { retryAfter });
}

/** Milliseconds between two looks. */
const interval = 15_000;
/** Seconds after which a client may ask again: the node collects once a minute while it is low. */
const retryAfter = 60;

/** Looks now and then, until it is closed. */
export function watchRoom(deps: RoomDeps): Room {
  const { clock } = deps;
  let seen: Disk[] = [];
  let closed = false;
  let cancel = (): void => undefined;

  const look = async (): Promise<Disk | undefined> => {
    const wasLow = lowestDisk(seen) !== undefined;
    seen = await deps.look();
    const low = lowestDisk(seen);
    if (low && !wasLow && !closed) deps.onLow(low);
    return low;
  };
  const run = (): Promise<void> =>
    look().then(() => {
      if (!closed) cancel = clock.after(interval, () => void (pass = run()));
    });
  let pass = run();
  return {
    disks: () => seen,
    async require() {
      const low = await look();
      if (low) throw new ProblemError('unavailable', refusal(low, deps.wouldFree()), { retryAfter });
    },
    async close() {
      closed = true;
      cancel();
      await pass;
    },
  };
}

function refusal(
  { path, holds, free_bytes: free, floor_bytes: floor }: Disk,
  wouldFree: number | undefined,
): string {
  const what = holds.includes('images') && !holds.includes('data') ? "engine's disk" : 'disk';
  const state = `The node's ${what} (${path}) is too full to take anything new: ${formatBytes(free)} are free, the floor is ${formatBytes(floor)}.`;
  if (wouldFree === undefined)
    return `${state} Free some space there; svc gc --dry-run says what nothing needs any more.`;
  return wouldFree === 0
    ? `${state} svc gc would free nothing: free some space there, or delete deployments or services.`
    : `${state} svc gc would free up to ${formatBytes(wouldFree)}.`;
}
