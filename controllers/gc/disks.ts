/**
 * How full the file systems are that the node needs room on: the one with its data, and the one with the engine's images.
 * Below the floor nothing is taken on that needs more room; the store and the logs go on, for them the floor is kept free.
 */
import { stat, statfs } from 'node:fs/promises';
import type { Disk } from '../../specs/gc.ts';
import { quantityBytes } from '../../specs/quantity.ts';

/** Bytes that stay free: so many, or that share of the file system, whichever is less. */
export interface Floor {
  bytes: number;
  /** 0 to 1. */
  share: number;
}

/** What a node has unless told otherwise: a tenth of a small disk; on a large one that would be room for a hundred builds. */
export const defaultFloor = '10%,5Gi';

/** Throws a RangeError that says what to write. */
export function parseFloor(text: string): Floor {
  const floor: Floor = { bytes: Infinity, share: 1 };
  const parts = text.split(',').map((part) => part.trim());
  for (const part of parts) {
    const percent = /^(\d{1,2}(?:\.\d{1,2})?)%$/.exec(part)?.[1];
    if (percent !== undefined) floor.share = Math.min(floor.share, Number(percent) / 100);
    else if (/^\d{1,12}([KMG]i|[kMG])?$/.test(part)) floor.bytes = Math.min(floor.bytes, quantityBytes(part));
    else
      throw new RangeError(
        `"${text}" is no disk floor: write 10%, 5Gi, or both for whichever is less: 10%,5Gi`,
      );
  }
  return floor;
}

export interface FileSystem {
  /** Tells file systems apart. */
  device: number;
  freeBytes: number;
  totalBytes: number;
}

export type Place = Pick<Disk, 'path'> & { holds: Disk['holds'][number] };

export interface DisksOptions {
  floor: Floor;
  /** Directories of this host; may change while the engine is away. */
  places: () => readonly Place[];
  look?: (path: string) => Promise<FileSystem>;
}

/** @returns the file systems as they are now, each once; those that cannot be asked are left out */
export async function lookAtDisks({ floor, places, look = fileSystemOf }: DisksOptions): Promise<Disk[]> {
  const disks = new Map<number, Disk>();
  for (const { path, holds } of places()) {
    // The engine's root may be closed to a node that is not root, or be of another host that has a socket here.
    const found = await look(path).catch(() => undefined);
    if (!found) continue;
    const known = disks.get(found.device);
    if (known) known.holds.push(holds);
    else disks.set(found.device, diskOf(path, holds, found, floor));
  }
  return [...disks.values()];
}

/** Bytes that are to stay free on the file system of a directory. */
export async function floorBytes(floor: Floor, path: string): Promise<number> {
  return reckon(floor, await fileSystemOf(path));
}

function reckon({ bytes, share }: Floor, { totalBytes }: Pick<FileSystem, 'totalBytes'>): number {
  return Math.floor(Math.min(bytes, share * totalBytes));
}

function diskOf(path: string, holds: Place['holds'], found: FileSystem, floor: Floor): Disk {
  const { freeBytes, totalBytes } = found;
  const floorOf = reckon(floor, found);
  return { path, holds: [holds], free_bytes: freeBytes, total_bytes: totalBytes, floor_bytes: floorOf };
}

async function fileSystemOf(path: string): Promise<FileSystem> {
  const [{ dev }, { bavail, blocks, bsize }] = await Promise.all([stat(path), statfs(path)]);
  return { device: dev, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** The one that lacks the most, undefined when all have enough. */
export function lowestDisk(disks: readonly Disk[]): Disk | undefined {
  const low = disks.filter(({ free_bytes: free, floor_bytes: floor }) => free < floor);
  return low.sort((a, b) => a.free_bytes - a.floor_bytes - (b.free_bytes - b.floor_bytes))[0];
}
