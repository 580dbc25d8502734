/** Finds whose lines a reader of a service's log means: replicas and deployments are also known by short names, and outlived by their lines. */
import type { Row } from '../specs/index.ts';
import type { LogReader } from './ports.ts';
import type { Reader } from './store/store.ts';
import { invalid } from './validation.ts';

export interface LoggedParts {
  store: Reader;
  logs: Pick<LogReader, 'loggedReplicas'>;
}

/** Of the end of an id, so that it names one by no accident. */
export const shortestEnd = 4;

/**
 * Id of the replica that `name` means: its id or the end of it. Throws `invalid` when the service has had none that this
 * could mean, or several.
 */
export async function findReplica(
  { store, logs }: LoggedParts,
  service: Row<'Service'>,
  name: string,
): Promise<string> {
  const known = new Set((await logs.loggedReplicas(service.id)).map(({ replica }) => replica));
  for (const { id } of await store.list('Deployment', { owner: service.id }))
    for (const replica of await store.list('Replica', { owner: id })) known.add(replica.id);
  if (known.has(name)) return name;
  const meant = name.length < shortestEnd ? [] : [...known].filter((id) => id.endsWith(name));
  const [only] = meant;
  if (only === undefined)
    throw refused(
      '/replica',
      'is no replica of this service, and none whose lines are kept: give its id, or the end of it',
    );
  if (meant.length > 1)
    throw refused('/replica', 'means several replicas of this service: give more of its id');
  return only;
}

/** Id of the deployment that `name` means: its id or its number. Throws `invalid` when there is none of this service. */
export async function findDeployment(
  { store, logs }: LoggedParts,
  service: Row<'Service'>,
  name: string,
): Promise<string> {
  const rows = await store.list('Deployment', { owner: service.id });
  const found = rows.find(({ id, spec }) => id === name || String(spec.number) === name);
  if (found) return found.id;
  const kept = await logs.loggedReplicas(service.id);
  if (kept.some(({ deployment }) => deployment === name)) return name;
  throw refused('/deployment', 'is no deployment of this service that is kept: give its id or its number');
}

function refused(path: string, message: string): Error {
  return invalid([{ path, message }], 'query');
}
