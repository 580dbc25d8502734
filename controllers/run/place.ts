/** What the container of a try looks like. Pure. */
import type { Row } from '../../specs/index.ts';
import { tryName } from '../engine/names.ts';
import { limitsOf } from '../drift/limits.ts';
import type { ReplicaContainer } from '../engine/engine.ts';

export interface Family {
  run: Row<'Run'>;
  job: Row<'Job'>;
  project: Row<'Project'>;
  /** Whose image it runs; undefined for a job with an image of its own. */
  service: Row<'Service'> | undefined;
}

/** Where a container is made. */
export interface Place {
  /** Name of the project's network, and the address in it. */
  network: string;
  address: string;
  nodeId: string;
  /** Content id. */
  image: string;
  /** Number of the try. */
  tries: number;
}

/** Labels by which the containers of a run are found. */
export function labelsOf(runId: string, nodeId: string): Record<string, string> {
  return { 'svc.node': nodeId, 'svc.run': runId };
}

/**
 * Everything the engine has to know of a try.
 * @param secrets opened, by name. They go into the environment and nowhere else
 */
export function containerOf(
  family: Family,
  secrets: Readonly<Record<string, string>>,
  { network, address, nodeId, image, tries }: Place,
): ReplicaContainer {
  const { run, job, project, service } = family;
  const { command, env, resources, deployment_id: deployment } = run.spec;
  return {
    name: tryName(family, tries),
    image,
    ...(command.length === 0 ? {} : { command }),
    env: {
      ...env,
      ...secrets,
      SVC_PROJECT: project.name,
      SVC_JOB: job.name,
      SVC_RUN: run.id,
      SVC_TRY: String(tries),
      ...(service === undefined ? {} : { SVC_SERVICE: service.name }),
      ...(deployment === null ? {} : { SVC_DEPLOYMENT: deployment }),
    },
    labels: {
      ...labelsOf(run.id, nodeId),
      'svc.project': project.name,
      'svc.job': job.name,
      'svc.try': String(tries),
    },
    network: { name: network, address },
    limits: limitsOf(resources),
    mounts: [],
  };
}
