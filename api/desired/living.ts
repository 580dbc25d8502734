/** Rows that may still be written: they are there, nobody asked for their deletion, and they are as the client knew them. */
import type { Kind, Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { Reader } from '../store/store.ts';

/** Throws `not_found`, and `conflict` when it is being deleted. */
export async function livingProject(reader: Reader, id: string): Promise<Row<'Project'>> {
  return alive(await reader.get('Project', id), 'project');
}

/** As livingProject. A service always has a project. */
export async function livingService(reader: Reader, id: string): Promise<Row<'Service'> & { owner: string }> {
  const service = alive(await reader.get('Service', id), 'service');
  if (service.owner === null) throw new Error(`Service ${id} has no project.`);
  return { ...service, owner: service.owner };
}

/** As livingProject. */
export async function livingJob(reader: Reader, id: string): Promise<Row<'Job'>> {
  return alive(await reader.get('Job', id), 'job');
}

function alive<K extends Kind>(row: Row<K> | undefined, noun: string): Row<K> {
  if (!row) throw new ProblemError('not_found', `There is no such ${noun}.`);
  if (row.deleted_at === null) return row;
  throw new ProblemError(
    'conflict',
    `The ${noun} ${row.name} is being deleted and cannot be changed any more. Its name is free for a new one.`,
  );
}

/** For writes that the store does not guard itself. Throws `precondition_failed`. */
export function requireVersion({ version }: Row<Kind>, ifVersion: number | undefined): void {
  if (ifVersion === undefined || ifVersion === version) return;
  throw new ProblemError('precondition_failed', 'It was changed meanwhile. Read it again.');
}
