/** Reads everything a pass over one run decides on. Reads only. */
import { isOver } from '../../specs/job.ts';
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';
import type { ContainerState, Engine } from '../engine/engine.ts';
import type { ImageState, RunImages } from './images.ts';
import { labelsOf } from './place.ts';

export interface Observed {
  job: Row<'Job'> | undefined;
  project: Row<'Project'> | undefined;
  service: Row<'Service'> | undefined;
  /** Of the try that is under way or just over. */
  container: ContainerState | undefined;
  /** Ids of other containers of this run: of earlier tries, and of calls that were given up. */
  strays: string[];
  image: ImageState | undefined;
  /** Whether a run of its job was asked to stop and has not ended. */
  isOtherStopping: boolean;
  /** Whether its container is being stopped right now. */
  isStopping: boolean;
}

export interface ObserveDeps {
  store: Store;
  engine: Pick<Engine, 'listReplicas'>;
  images: Pick<RunImages, 'find'>;
  isStopping: (runId: string) => boolean;
  nodeId: string;
}

export async function observe(row: Row<'Run'>, deps: ObserveDeps): Promise<Observed> {
  const { store, engine, nodeId } = deps;
  const { job_id, project_id, service_id } = row.spec;
  const [job, project, service, others, containers] = await Promise.all([
    store.get('Job', job_id),
    store.get('Project', project_id),
    service_id === null ? undefined : store.get('Service', service_id),
    row.status.phase === 'Pending' ? store.list('Run', { owner: job_id }) : [],
    engine.listReplicas(labelsOf(row.id, nodeId)),
  ]);
  const container = containers.find(({ labels }) => labels['svc.try'] === String(row.status.tries));
  return {
    ...{ job, project, service, container },
    strays: containers.filter((other) => other !== container).map(({ id }) => id),
    image: deps.images.find(row.id),
    isOtherStopping: others.some(
      ({ id, spec, status }) => id !== row.id && spec.stopped && !isOver(status.phase),
    ),
    isStopping: deps.isStopping(row.id),
  };
}
