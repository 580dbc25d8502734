/** A changed job: a merge patch (RFC 7396) of its spec. Runs that were asked for keep what they froze. */
import type { Row } from '../../specs/index.ts';
import type { JobSpec } from '../../specs/job.ts';
import type { UpdateJob } from '../../specs/job-requests.ts';
import { timestamp } from '../../specs/meta.ts';
import type { ApiContext } from '../context.ts';
import { invalid } from '../validation.ts';
import { livingJob } from './living.ts';
import { jobViolations } from './validate-job.ts';

/** Throws `invalid`, `precondition_failed`, and `conflict` while it is being deleted. */
export function updateJob(
  { store, clock }: ApiContext,
  id: string,
  body: UpdateJob,
  ifVersion?: number,
): Promise<Row<'Job'>> {
  const now = clock.now();
  return store.write(async (writer) => {
    const { spec } = await livingJob(writer, id);
    const next = patched(spec, body, timestamp(now));
    const violations = jobViolations(next, body, now);
    if (violations.length > 0) throw invalid(violations);
    return writer.updateSpec('Job', id, () => next, ifVersion);
  });
}

function patched(spec: JobSpec, { env = {}, keep, resources, ...plain }: UpdateJob, now: string): JobSpec {
  const variables = Object.entries({ ...spec.env, ...env }).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  );
  const next = {
    ...spec,
    ...plain,
    env: Object.fromEntries(variables),
    keep: { ...spec.keep, ...keep },
    resources: { ...spec.resources, ...resources },
  };
  const fields = ['schedule', 'timezone', 'suspended'] as const;
  // What passed under another schedule, or while this one rested, was not missed.
  return fields.every((field) => next[field] === spec[field]) ? next : { ...next, scheduled_since: now };
}
