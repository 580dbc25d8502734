/** Takes away the empty cgroups that an engine leaves behind: containers remove their own, nobody removes the parents. */
import { access, readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/** @param parent the engine's cgroup parent */
export async function removeCgroups(parent: string, root = '/sys/fs/cgroup'): Promise<void> {
  const isUnified = await access(join(root, 'cgroup.controllers')).then(
    () => true,
    () => false,
  );
  const hierarchies = isUnified ? [''] : await readdir(root).catch(() => []);
  for (const hierarchy of hierarchies) await removeTree(join(root, hierarchy, parent));
}

/** A cgroup that still holds processes stays, and those above it. */
async function removeTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(directory, entry.name));
  await rmdir(directory).catch(() => undefined);
}
