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

/**
 * With `cascade` its services go too. Throws as deleteService, and `conflict` while it owns services and `cascade` is not
 * asked for.
 */
export function deleteProject(
  store: Store,
  id: string,
  { cascade, ifVersion }: { cascade: boolean; ifVersion?: number | undefined },
): Promise<Row<'Project'>> {
  return store.write(async (writer) => {
    const project = await find(writer, 'Project', id);
    requireVersion(project, ifVersion);
    const services = await writer.list('Service', { owner: id });
    const living = services.filter((service) => service.deleted_at === null);
    if (living.length > 0 && !cascade) throw ownsServices(project, living);
    for (const service of living) await writer.markDeleted('Service', service.id);
    await writer.markDeleted('Project', id);
    return find(writer, 'Project', id);
  });
}

async function find<K extends 'Project' | 'Service'>(writer: Writer, kind: K, id: string): Promise<Row<K>> {
  const row = await writer.get(kind, id);
  if (!row) throw new ProblemError('not_found', `There is no such ${kind.toLowerCase()}.`);
  return row;
}

function ownsServices({ name }: Row<'Project'>, services: readonly Row<'Service'>[]): ProblemError {
  const named = services.slice(0, 3).map((service) => service.name);
  const more = services.length - named.length;
  return new ProblemError(
    'conflict',
    `The project ${name} owns services: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}. ` +
      'Delete them first, or with the project: ?cascade=true.',
  );
}
