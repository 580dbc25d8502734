/** Who is woken by whose change, beyond a row's own controller. */
import type { Change, Reader } from '../../api/store/store.ts';
import { always, owned, owner, type Mapping } from '../../controllers/runtime/sources.ts';
import { isSettled, type DeploymentStatus } from '../../specs/deployment.ts';

/** The only key of the route set. */
export const routeSetKey = 'all';

/** Those that the service points at, and those that still do something and may have to stop. */
async function concernedDeployments({ id }: Change, reader: Reader): Promise<string[]> {
  const [service, deployments] = await Promise.all([
    reader.get('Service', id),
    reader.list('Deployment', { owner: id }),
  ]);
  const named = new Set([service?.spec.rollout.target, service?.status.promoted]);
  const rests = ({ phase }: DeploymentStatus): boolean => isSettled(phase) && phase !== 'Healthy';
  return deployments.filter((row) => named.has(row.id) || !rests(row.status)).map((row) => row.id);
}

export const wakes: readonly Mapping[] = [
  // A project that is being deleted waits for its services, a service for what belongs to it.
  { from: 'Service', to: 'Project', by: ['deleted', 'purged'], ids: owner },
  { from: 'Upload', to: 'Service', by: ['purged'], ids: owner },
  // A project's network is there: replicas that waited for it ask again by themselves, new ones by this.
  { from: 'Project', to: 'RouteSet', ids: always(routeSetKey) },
  // What is wanted or promoted changed: the deployments whose business that may be. Not all there ever were: a push would
  // take longer with every push before it.
  { from: 'Service', to: 'Deployment', ids: concernedDeployments },
  { from: 'Service', to: 'RouteSet', ids: always(routeSetKey) },
  { from: 'Deployment', to: 'Service', ids: owner },
  { from: 'Deployment', to: 'RouteSet', by: ['spec', 'status'], ids: always(routeSetKey) },
  { from: 'Deployment', to: 'Replica', ids: owned('Replica') },
  {
    from: 'Deployment',
    to: 'Upload',
    by: ['status'],
    ids: async ({ id }, reader) => {
      const deployment = await reader.get('Deployment', id);
      // One that takes over an image was not built from the upload that its source names.
      return deployment?.spec.reuse === null ? [deployment.spec.source.upload.upload_id] : [];
    },
  },
  { from: 'Replica', to: 'Deployment', ids: owner },
  // How many of its replicas are ready is a service's own condition.
  {
    from: 'Replica',
    to: 'Service',
    ids: async ({ owner: deployment }, reader) => {
      const row = deployment === null ? undefined : await reader.get('Deployment', deployment);
      return row ? [row.spec.service_id] : [];
    },
  },
  { from: 'Replica', to: 'RouteSet', ids: always(routeSetKey) },
];
