/** Job and run rows → resources. */
import type { Role } from '../../specs/account.ts';
import type { Row } from '../../specs/index.ts';
import type { JobResource, RunResource } from '../../specs/job-resources.ts';
import type { Masks } from '../../specs/mask.ts';
import type { Reader } from '../store/store.ts';
import { visibleEnvironment } from './environment.ts';
import { metaView } from './meta.ts';

/** @param role of who asks, in the project: values of the environment are shown from Operator on */
export async function readJobView(
  store: Reader,
  row: Row<'Job'>,
  project: Row<'Project'>,
  role: Role | undefined,
): Promise<JobResource> {
  const { spec, status } = row;
  const [last] = await store.list('Run', { owner: row.id, limit: 1 });
  return {
    ...metaView(row),
    name: row.name,
    project: project.name,
    project_id: project.id,
    image: spec.image,
    service_id: spec.service_id,
    command: spec.command,
    env: visibleEnvironment(spec.env, role),
    resources: spec.resources,
    schedule: spec.schedule,
    timezone: spec.timezone,
    concurrency: spec.concurrency,
    deadline: spec.deadline,
    retries: spec.retries,
    starting_deadline: spec.starting_deadline,
    keep: spec.keep,
    release: spec.release,
    suspended: spec.suspended,
    scheduled_at: status.scheduled_at,
    next_run_at: status.next_at,
    last_run: last ? { id: last.id, status: last.status.phase, created_at: last.created_at } : null,
  };
}

/** What was said of it was masked as it was written; what has become secret since is hidden here. */
export function runView(
  row: Row<'Run'>,
  job: Row<'Job'>,
  project: Row<'Project'>,
  masks: Pick<Masks, 'text'>,
): RunResource {
  const { spec, status } = row;
  const mask = (text: string): string => masks.text(project.id, text);
  const meta = metaView(row);
  return {
    ...meta,
    conditions: meta.conditions.map((found) => ({ ...found, message: mask(found.message) })),
    job_id: job.id,
    job: job.name,
    project: project.name,
    project_id: project.id,
    service_id: spec.service_id,
    deployment_id: spec.deployment_id,
    trigger: spec.trigger,
    scheduled_for: spec.scheduled_for,
    status: status.phase,
    reason: status.reason,
    message: mask(status.message),
    exit_code: status.exit_code,
    tries: status.tries,
    retries: spec.retries,
    next_try_at: status.retry_at,
    image: status.image ?? spec.image,
    command: spec.command,
    deadline: spec.deadline,
    started_at: status.started_at,
    finished_at: status.finished_at,
  };
}
