/** Which replica of a service a console is opened in: one whose container runs. */
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import { shortestEnd } from '../logged.ts';
import type { Reader } from '../store/store.ts';

/** Throws `conflict` when the service has none that is ready. */
export async function readyReplica(reader: Reader, service: Row<'Service'>): Promise<Row<'Replica'>> {
  const { promoted } = service.status;
  const replicas = promoted === null ? [] : await reader.list('Replica', { owner: promoted });
  const ready = replicas.filter(({ status, deleted_at }) => status.phase === 'Ready' && deleted_at === null);
  const [first] = ready.sort((a, b) => a.spec.index - b.spec.index);
  if (first) return first;
  throw new ProblemError(
    'conflict',
    'The service has no ready replica. Start or deploy it first, or name a replica that is starting.',
  );
}

/**
 * One of the service's by its id or the end of it, as its log shows it; also one that is only starting or about to go.
 * Throws `not_found` when the service has none of that id, or several, `conflict` when it does not run.
 */
export async function replicaOf(
  reader: Reader,
  service: Row<'Service'>,
  name: string,
): Promise<{ id: string; container: string }> {
  const replica = (await reader.get('Replica', name)) ?? (await endingIn(reader, service, name));
  if (replica?.spec.service_id !== service.id)
    throw new ProblemError(
      'not_found',
      'The service has no such replica. Its replicas are shown by: svc describe service.',
    );
  const { id, status } = replica;
  const { phase, container } = status;
  if (container === null || (phase !== 'Ready' && phase !== 'Starting'))
    throw new ProblemError('conflict', 'The replica does not run now. Try another one, or later.');
  return { id, container };
}

async function endingIn(
  reader: Reader,
  service: Row<'Service'>,
  end: string,
): Promise<Row<'Replica'> | undefined> {
  if (end.length < shortestEnd) return undefined;
  const deployments = await reader.list('Deployment', { owner: service.id });
  const replicas = await Promise.all(deployments.map(({ id }) => reader.list('Replica', { owner: id })));
  const [only, ...others] = replicas.flat().filter(({ id }) => id.endsWith(end));
  return others.length === 0 ? only : undefined;
}
