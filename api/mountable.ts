/** Reads what there is of what deployments of a service mount: whether one can serve again depends on it. */
import { hostPathsOf, type HostPath } from '../specs/host-path.ts';
import type { Row } from '../specs/index.ts';
import type { Mountable } from '../specs/rollback.ts';
import type { Reader } from './store/store.ts';

/** @param hostPaths that the node's operator allows */
export async function readMountable(
  reader: Reader,
  { name, owner }: Pick<Row<'Service'>, 'name' | 'owner'>,
  hostPaths: readonly HostPath[],
): Promise<Mountable> {
  const project = owner === null ? undefined : await reader.get('Project', owner);
  if (!project) return { volumes: [], hostPaths: [] };
  const volumes = await reader.list('Volume', { owner: project.id });
  return {
    volumes: volumes.filter(({ spec, deleted_at: deleted }) => spec.service === name && deleted === null),
    hostPaths: hostPathsOf(hostPaths, project.name).map((path) => path.name),
  };
}
