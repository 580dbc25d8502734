/** The last route set on disk: what members serve at boot, and where the revision goes on after a restart. */
import { readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { olderRoute, type Snapshot } from './snapshot.ts';

export function snapshotPath(stateDir: string): string {
  return join(stateDir, 'snapshot.json');
}

/** @returns undefined before the first. Throws when there is a file that is no snapshot, or it cannot be read. */
export function readSnapshot(stateDir: string): Snapshot | undefined {
  let text: string;
  try {
    text = readFileSync(snapshotPath(stateDir), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const value = JSON.parse(text) as Partial<Snapshot> | null;
  const tables: unknown[] = [value?.hosts, value?.services, value?.upstreams, value?.bridges];
  if (
    typeof value?.revision !== 'number' ||
    !tables.every((table) => typeof table === 'object' && table !== null)
  ) {
    throw new Error(`${snapshotPath(stateDir)} holds no snapshot`);
  }
  return withDefaults(value as Snapshot);
}

/** It may be of an older version. */
function withDefaults(snapshot: Snapshot): Snapshot {
  const services = Object.entries(snapshot.services).map(([id, route]) => [id, { ...olderRoute, ...route }]);
  return { ...snapshot, services: Object.fromEntries(services) as Snapshot['services'] };
}

/**
 * Atomic: after a power cut there is the old one or the new one, whole. The old one does no harm then: no replica has
 * survived either, and the control plane that starts them publishes anew. So the directory need not be waited for.
 */
export async function writeSnapshot(stateDir: string, snapshot: Snapshot): Promise<void> {
  const path = snapshotPath(stateDir);
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(snapshot));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}
