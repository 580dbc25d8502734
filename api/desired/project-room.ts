/** Whether a project may have one thing more of a kind (specs/project.ts). Asked in the transaction that makes it. */
import { ProblemError } from '../../specs/problem.ts';
import { mostInProject } from '../../specs/project.ts';
import type { Reader } from '../store/store.ts';

/** What the API makes in a project. Volumes are made by the replica that mounts them first. */
const nouns = { Service: 'services', Job: 'jobs', Domain: 'domains', Registry: 'registries' } as const;

/** Throws `too_large` when there are as many as a project may have. What is being deleted does not count. */
export async function requireProjectRoom(
  reader: Reader,
  kind: keyof typeof nouns,
  projectId: string,
): Promise<void> {
  const most = mostInProject[kind];
  const owners = kind === 'Domain' ? await living(reader, 'Service', projectId) : [projectId];
  let count = 0;
  for (const owner of owners) count += (await living(reader, kind, owner)).length;
  if (count >= most)
    throw new ProblemError('too_large', `A project has at most ${most} ${nouns[kind]}. Remove one first.`);
}

async function living(reader: Reader, kind: keyof typeof nouns, owner: string): Promise<string[]> {
  const rows = await reader.list(kind, { owner });
  return rows.filter(({ deleted_at: deleted }) => deleted === null).map(({ id }) => id);
}
