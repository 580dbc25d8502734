/** What our things are called at the engine: deterministic, so that a pass after a crash finds what it made. Pure. */
import type { Row } from '../../specs/index.ts';

/**
 * Name of a project's network: unique per node, so that two nodes can share an engine, and per project, so that a project
 * does not have to wait until the network of a deleted one of its name is gone.
 */
export function networkName(nodeId: string, { id, name }: Pick<Row<'Project'>, 'id' | 'name'>): string {
  return `svc-${nodeId.slice(-8)}-${name}-${id.slice(-8)}`;
}

/**
 * Name of a volume: holds the end of its id, so that one that is made anew under the name of a destroyed one is another, and
 * what is left of the other is never taken for it.
 */
export function volumeName(nodeId: string, { id, name }: Pick<Row<'Volume'>, 'id' | 'name'>): string {
  return `svc-${nodeId.slice(-8)}-${name}-${id.slice(-8)}`;
}

/** The tag under which the engine keeps a deployment's image. */
export function imageTag(deployment: Pick<Row<'Deployment'>, 'id' | 'spec'>): string {
  return `svc/${deployment.spec.service_id.replace('_', '-')}:${deployment.id.replace('_', '-')}`;
}

/** The tag under which the engine keeps the image that a job's last run was started with. */
export function jobImageTag(jobId: string): string {
  return `svc/${jobId.replace('_', '-')}:last`;
}

/** Name of a replica's container: holds the end of its id, so it is never used twice. */
export function replicaName(of: {
  replica: Pick<Row<'Replica'>, 'id'>;
  deployment: Pick<Row<'Deployment'>, 'spec'>;
  service: Pick<Row<'Service'>, 'name'>;
  project: Pick<Row<'Project'>, 'name'>;
}): string {
  const { replica, deployment, service, project } = of;
  return `${project.name}-${service.name}-${deployment.spec.number}-${replica.id.slice(-8)}`;
}

/** Name of the container of a try: holds the run and the try, so that it is made once. */
export function tryName(
  { run, job, project }: { run: Pick<Row<'Run'>, 'id'>; job: { name: string }; project: { name: string } },
  tries: number,
): string {
  return `${project.name}-${job.name}-${run.id.slice(-8)}-${tries}`;
}
