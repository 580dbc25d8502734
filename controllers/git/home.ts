/**
 * The two directories of one clone: its private home (key, configuration; in the run directory, which is memory where the
 * node is root) and its place on the disk (repositories, archives). Both go when the clone ends, and what a control plane that
 * was killed has left goes before the next one clones anything.
 */
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../specs/clock.ts';
import { homePaths, type HomePaths } from './environment.ts';
import { killProcessesOf } from './processes.ts';

export interface CloneDirectories {
  home: HomePaths;
  /** On the disk. */
  work: string;
  /** Ends what still runs of the clone, and removes its key and configuration. Idempotent. */
  closeHome: () => Promise<void>;
  /** And what is on the disk. */
  remove: () => Promise<void>;
}

export interface CloneRoots {
  /** Directories of their own; made when missing, 0700. */
  homes: string;
  works: string;
}

/** @param id a deployment's: names the directories */
export async function makeDirectories(
  { homes, works }: CloneRoots,
  id: string,
  clock: Clock,
): Promise<CloneDirectories> {
  const home = homePaths(join(homes, id));
  const work = join(works, id);
  const closeHome = async (): Promise<void> => {
    await killProcessesOf(home.dir, clock);
    await rm(home.dir, { recursive: true, force: true });
  };
  const remove = async (): Promise<void> => {
    await closeHome();
    await rm(work, { recursive: true, force: true });
  };
  await remove();
  for (const dir of [home.dir, work]) await mkdir(dir, { mode: 0o700 });
  return { home, work, closeHome, remove };
}

/** Ends and removes whatever an earlier control plane has left. Only before the first clone. */
export async function sweepClones({ homes, works }: CloneRoots, clock: Clock): Promise<void> {
  await killProcessesOf(homes, clock);
  for (const dir of [homes, works]) {
    await rm(dir, { recursive: true, force: true });
    await mkdir(dir, { recursive: true, mode: 0o700 });
  }
}

/** A file that only its owner reads, from the first byte on. */
export function writePrivate(path: string, text: string): Promise<void> {
  return writeFile(path, text, { mode: 0o600 });
}

/** ssh refuses a key that does not end with a line break. */
export async function writeKey(path: string, key: string): Promise<void> {
  await writePrivate(path, key);
  if (!key.endsWith('\n')) await appendFile(path, '\n');
}
