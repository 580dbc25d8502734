/** Which addresses of a project's network are in use: a replica has its for life, a run while it has a container. */
import type { Reader } from '../../api/store/store.ts';

/**
 * The most recent first. Asked in the transaction that takes one more: other deployments and runs of the project take theirs
 * at the same time.
 */
export async function addressesIn(projectId: string, reader: Reader): Promise<string[]> {
  const [replicas, runs] = [await reader.list('Replica'), await reader.list('Run')];
  const taken = [
    ...replicas.map(({ id, spec }) => ({ id, project: spec.project_id, address: spec.address })),
    ...runs.map(({ id, spec, status }) => ({ id, project: spec.project_id, address: status.address })),
  ];
  return taken
    .filter(({ project, address }) => project === projectId && address !== null)
    .sort((a, b) => byAge(b.id, a.id))
    .flatMap(({ address }) => address ?? []);
}

/** What follows the prefix of an id rises with time, whatever the kind. */
function byAge(a: string, b: string): number {
  const [first, second] = [a.slice(a.indexOf('_')), b.slice(b.indexOf('_'))];
  return first < second ? -1 : first > second ? 1 : 0;
}
