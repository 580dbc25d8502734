/** Who is woken by whose change, beyond a row's own controller. */
import type { Change, Reader } from '../../api/store/store.ts';
import { always, owned, owner, type Mapping } from '../../controllers/runtime/sources.ts';
import { isOver } from '../../specs/job.ts';
import { isStopFirst } from '../../specs/stop-first.ts';
import { isSettled, uploadOf, type DeploymentStatus } from '../../specs/deployment.ts';

/** The only key of the route set. */
export const routeSetKey = 'all';

/** Those that the service points at, and those that still do something and may have to stop. */
async function concernedDeployments({ id }: Change, reader: Reader): Promise<string[]> {
  const [service, deployments] = await Promise.all([
    reader.get('Service', id),
    reader.list('Deployment', { owner: id }),
  ]);
  const named = new Set([service?.spec.rollout.target, service?.status.promoted]);
  // One that stands by has an epoch, and replicas to let go of.
  const rests = ({ phase, epoch }: DeploymentStatus): boolean =>
    isSettled(phase) && phase !== 'Healthy' && epoch === null;
  return deployments.filter((row) => named.has(row.id) || !rests(row.status)).map((row) => row.id);
}

/** A job is gone, and nobody knows any more of which service it was. */
async function servicesOfProject({ owner: project }: Change, reader: Reader): Promise<string[]> {
  if (project === null) return [];
  const services = await reader.list('Service', { owner: project });
  return services.filter(({ deleted_at: deleted }) => deleted !== null).map(({ id }) => id);
}

async function replicasOfProject({ id }: Change, reader: Reader): Promise<string[]> {
  const replicas = await reader.list('Replica');
  return replicas.filter(({ spec }) => spec.project_id === id).map((row) => row.id);
}

async function runsOfProject({ id }: Change, reader: Reader): Promise<string[]> {
  const runs = await reader.list('Run');
  return runs
    .filter(({ spec, status }) => spec.project_id === id && !isOver(status.phase))
    .map((row) => row.id);
}

async function releasedDeployment({ id }: Change, reader: Reader): Promise<string[]> {
  const run = await reader.get('Run', id);
  return run?.spec.trigger === 'release' ? [run.spec.deployment_id ?? ''] : [];
}

/**
 * Those that wait for a replica of another one to stop, or to be gone (deployment/stop-first.ts); also one of a service that was
 * made anew under the name of a deleted one.
 */
async function takingTurns({ owner: id }: Change, reader: Reader): Promise<string[]> {
  const deployment = id === null ? undefined : await reader.get('Deployment', id);
  const service = deployment && (await reader.get('Service', deployment.spec.service_id));
  if (!service || service.owner === null) return [];
  const services = await reader.list('Service', { owner: service.owner, name: service.name });
  const waiting = services.filter(
    ({ spec, status }) => status.parked_since !== null || isStopFirst(spec.release, spec),
  );
  const named = waiting.flatMap(({ spec, status }) => [spec.rollout.target, status.promoted]);
  return named.flatMap((other) => (other === null || other === id ? [] : other));
}

export const wakes: readonly Mapping[] = [
  // A project that is being deleted waits for its services, a service for what belongs to it.
  { from: 'Service', to: 'Project', by: ['deleted', 'purged'], ids: owner },
  { from: 'Upload', to: 'Service', by: ['purged'], ids: owner },
  { from: 'Domain', to: 'Service', by: ['purged'], ids: owner },
  { from: 'Certificate', to: 'Domain', by: ['purged'], ids: owner },
  { from: 'Domain', to: 'RouteSet', ids: always(routeSetKey) },
  // A job's runs and their ends are its history; one that is being deleted waits until they are gone.
  { from: 'Run', to: 'Job', by: ['status', 'purged'], ids: owner },
  { from: 'Job', to: 'Project', by: ['purged'], ids: owner },
  { from: 'Job', to: 'Service', by: ['purged'], ids: servicesOfProject },
  // A deployment waits for its release jobs.
  { from: 'Run', to: 'Deployment', by: ['status'], ids: releasedDeployment },
  // A project's network is there: replicas that waited for it ask again by themselves, new ones by this.
  { from: 'Project', to: 'RouteSet', ids: always(routeSetKey) },
  // What is wanted or promoted changed: the deployments whose business that may be. Not all there ever were: a push would
  // take longer with every push before it.
  { from: 'Service', to: 'Deployment', ids: concernedDeployments },
  { from: 'Service', to: 'RouteSet', ids: always(routeSetKey) },
  // Its network was made again: replicas that run are connected to it.
  { from: 'Project', to: 'Replica', by: ['status'], ids: replicasOfProject },
  { from: 'Project', to: 'Run', by: ['status'], ids: runsOfProject },
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
      const upload = deployment?.spec.reuse === null ? uploadOf(deployment.spec.source) : undefined;
      return upload ? [upload.upload_id] : [];
    },
  },
  { from: 'Replica', to: 'Deployment', ids: owner },
  { from: 'Replica', to: 'Deployment', ids: takingTurns },
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
