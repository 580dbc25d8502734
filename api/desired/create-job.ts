/** A new job: its spec from what the client sent, defaults from the schema. */
import { Value } from '@sinclair/typebox/value';
import type { Row } from '../../specs/index.ts';
import { JobSpec } from '../../specs/job.ts';
import type { CreateJob } from '../../specs/job-requests.ts';
import { timestamp } from '../../specs/meta.ts';
import type { ApiContext } from '../context.ts';
import { invalid } from '../validation.ts';
import { livingProject } from './living.ts';
import { requireProjectRoom } from './project-room.ts';
import { jobViolations } from './validate-job.ts';

/** Throws `invalid`, `conflict` when the project has a job of this name or is being deleted, or `too_large` when it has too many. */
export async function createJob(
  { store, newId, clock }: ApiContext,
  project: Row<'Project'>,
  body: CreateJob,
): Promise<Row<'Job'>> {
  const now = clock.now();
  const spec = jobSpec(project.id, body, timestamp(now));
  const violations = jobViolations(spec, body, now);
  return store.write(async (writer) => {
    await livingProject(writer, project.id);
    await requireProjectRoom(writer, 'Job', project.id);
    const service = spec.service_id === null ? undefined : await writer.get('Service', spec.service_id);
    const isThere = service?.owner === project.id && service.deleted_at === null;
    if (spec.service_id !== null && !isThere)
      violations.push({ path: '/service_id', message: 'is no service of this project' });
    if (violations.length > 0) throw invalid(violations);
    return writer.create('Job', {
      id: newId('job'),
      name: body.name,
      owner: project.id,
      spec,
      status: { scheduled_at: null, next_at: null, conditions: [] },
    });
  });
}

function jobSpec(projectId: string, body: CreateJob, now: string): JobSpec {
  const { image = null, service_id = null, command = [], env = {}, schedule = null } = body;
  const { timezone, concurrency, deadline, retries, starting_deadline, release, suspended } = body;
  const spec = Value.Default(JobSpec, {
    ...{ project_id: projectId, image, service_id, command, env, schedule, scheduled_since: now },
    ...{ timezone, concurrency, deadline, retries, starting_deadline, release, suspended },
    ...{ keep: { ...body.keep }, resources: { ...body.resources } },
  });
  Value.Assert(JobSpec, spec);
  return spec;
}
