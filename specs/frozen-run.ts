/** What a run freezes of its job, and of the deployment in whose image it runs: nothing that changes later changes it. Pure. */
import type { Row } from './index.ts';
import type { RunSpec } from './job.ts';

/** Who asks for a run, and for when. */
export type RunCause = Pick<RunSpec, 'trigger' | 'scheduled_for'>;

/**
 * @param deployment the promoted one of the job's service, or the one that is being released; undefined for a job with an
 * image of its own
 * @returns undefined when the job's service has nothing to run it in
 */
export function frozenRun(
  { id, spec }: Row<'Job'>,
  deployment: Row<'Deployment'> | undefined,
  cause: RunCause,
): RunSpec | undefined {
  const image = spec.service_id === null ? spec.image : (deployment?.status.image ?? null);
  if (image === null) return undefined;
  const { command, env, resources, deadline, retries } = spec;
  const { workload } = deployment?.spec ?? {};
  const secrets = Object.entries(workload?.secrets ?? {}).filter(([name]) => !Object.hasOwn(env, name));
  return {
    job_id: id,
    project_id: spec.project_id,
    service_id: spec.service_id,
    deployment_id: spec.service_id === null ? null : (deployment?.id ?? null),
    ...cause,
    ...{ image, command, resources, deadline, retries },
    env: { ...workload?.env, ...env },
    secrets: Object.fromEntries(secrets),
    exclusive: spec.concurrency !== 'allow',
    stopped: false,
  };
}
