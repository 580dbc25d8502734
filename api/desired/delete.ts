/** Deletions that controllers carry out: here they are only asked for. Asking again changes nothing. */
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { Store, Writer } from '../store/store.ts';
import { requireVersion } from './living.ts';

/** Throws `not_found` when it is gone, and `precondition_failed`. @returns the row, which is there until all of it is gone */
export function deleteService(store: Store, id: string, ifVersion?: number): Promise<Row<'Service'>> {
  return store.write(async (writer) => {
    requireVersion(await find(writer, 'Service', id), ifVersion);
    await writer.markDeleted('Service', id);
    return find(writer, 'Service', id);
  });
}

/** Its runs are stopped and go with it. Otherwise as deleteService. */
export function deleteJob(store: Store, id: string, ifVersion?: number): Promise<Row<'Job'>> {
  return store.write(async (writer) => {
    requireVersion(await find(writer, 'Job', id), ifVersion);
    await writer.markDeleted('Job', id);
    return find(writer, 'Job', id);
  });
}

/**
 * With `cascade` its services and jobs go too. Throws as deleteService, and `conflict` while it owns any and `cascade` is
 * not asked for, or while it has volumes: their data goes only when somebody names it.
 */
export function deleteProject(
  store: Store,
  id: string,
  { cascade, ifVersion }: { cascade: boolean; ifVersion?: number | undefined },
): Promise<Row<'Project'>> {
  return store.write(async (writer) => {
    const project = await find(writer, 'Project', id);
    requireVersion(project, ifVersion);
    const [services, jobs] = [
      await writer.list('Service', { owner: id }),
      await writer.list('Job', { owner: id }),
    ];
    const living = [...services, ...jobs].filter(({ deleted_at: deleted }) => deleted === null);
    if (living.length > 0 && !cascade) throw ownsSome(project, living);
    const volumes = await writer.list('Volume', { owner: id });
    const kept = volumes.filter(({ deleted_at: deleted }) => deleted === null);
    if (kept.length > 0) throw keepsData(project, kept);
    for (const row of living) await writer.markDeleted(row.kind, row.id);
    await writer.markDeleted('Project', id);
    return find(writer, 'Project', id);
  });
}

async function find<K extends 'Project' | 'Service' | 'Job'>(
  writer: Writer,
  kind: K,
  id: string,
): Promise<Row<K>> {
  const row = await writer.get(kind, id);
  if (!row) throw new ProblemError('not_found', `There is no such ${kind.toLowerCase()}.`);
  return row;
}

function ownsSome({ name }: Row<'Project'>, owned: readonly (Row<'Service'> | Row<'Job'>)[]): ProblemError {
  const nouns = [...new Set(owned.map(({ kind }) => (kind === 'Job' ? 'jobs' : 'services')))].join(' and ');
  const named = owned.slice(0, 3).map((row) => row.name);
  const more = owned.length - named.length;
  return new ProblemError(
    'conflict',
    `The project ${name} owns ${nouns}: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}. ` +
      'Delete them first, or with the project: ?cascade=true.',
  );
}

function keepsData({ name }: Row<'Project'>, volumes: readonly Row<'Volume'>[]): ProblemError {
  const named = volumes.map((row) => row.name).sort();
  const [first = ''] = named;
  return new ProblemError(
    'conflict',
    `The project ${name} has data in volumes: ${named.slice(0, 5).join(', ')}${named.length > 5 ? ` and ${named.length - 5} more` : ''}. ` +
      `Destroy each first: svc volumes destroy ${first} -p ${name}.`,
  );
}
