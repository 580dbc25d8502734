/** What a job's schema cannot say: rules between fields, its schedule, and bounds. Pure. */
import { checkSchedule, ScheduleError } from '../../specs/cron.ts';
import { durationMs } from '../../specs/duration.ts';
import { parseImageReference } from '../../specs/image-reference.ts';
import type { JobSpec } from '../../specs/job.ts';
import type { CreateJob, UpdateJob } from '../../specs/job-requests.ts';
import type { Violation } from '../../specs/problem.ts';
import { quantityBytes } from '../../specs/quantity.ts';
import { pointerToken } from '../validation.ts';
import { nameFault, valueFault } from './variable.ts';

const day = 86_400_000;

/** What an engine accepts at least. */
const leastMemory = 6 * 2 ** 20;
const leastCpus = 0.01;

/**
 * @param spec what the job would be
 * @param body what the client sent: violations are pointers into it
 * @param now milliseconds since the epoch
 */
export function jobViolations(spec: JobSpec, body: CreateJob | UpdateJob, now: number): Violation[] {
  const { deadline, starting_deadline: starting, resources } = spec;
  return [
    ...sourceViolations(spec, body),
    ...scheduleViolations(spec, now),
    ...(durationMs(deadline) < 1_000 || durationMs(deadline) > 7 * day
      ? [{ path: '/deadline', message: 'must be from 1s to 7d' }]
      : []),
    ...(durationMs(starting) < 1_000 || durationMs(starting) > day
      ? [{ path: '/starting_deadline', message: 'must be from 1s to 24h' }]
      : []),
    ...(quantityBytes(resources.memory) < leastMemory
      ? [{ path: '/resources/memory', message: 'must be at least 6Mi' }]
      : []),
    ...(resources.cpus < leastCpus
      ? [{ path: '/resources/cpus', message: `must be at least ${leastCpus}` }]
      : []),
    ...spec.command.flatMap((argument, index) =>
      argument.includes('\0')
        ? [{ path: `/command/${index}`, message: 'must not contain a null character' }]
        : [],
    ),
    ...Object.entries(body.env ?? {}).flatMap(([name, value]) => variableViolations(name, value)),
  ];
}

function sourceViolations(spec: JobSpec, body: CreateJob | UpdateJob): Violation[] {
  if (spec.image !== null && spec.service_id !== null)
    return [{ path: '/service_id', message: 'does not go with image: a job runs in one of the two' }];
  if (spec.service_id !== null && body.image !== undefined)
    return [
      { path: '/image', message: 'does not go with a job of a service, which runs in the image of that' },
    ];
  const parsed = spec.image === null ? undefined : parseImageReference(spec.image);
  if (parsed && 'fault' in parsed) return [{ path: '/image', message: parsed.fault }];
  const violations: Violation[] = [];
  if (spec.service_id !== null && spec.command.length === 0)
    violations.push({ path: '/command', message: 'is required for a job of a service' });
  if (spec.release && spec.service_id === null)
    violations.push({ path: '/release', message: 'takes a job of a service (service_id)' });
  if (spec.release && spec.schedule !== null)
    violations.push({ path: '/schedule', message: 'does not go with release: deployments run it' });
  return violations;
}

function scheduleViolations({ schedule, timezone }: JobSpec, now: number): Violation[] {
  try {
    // The time zone is checked also where nothing goes by it yet.
    checkSchedule({ schedule: schedule ?? '0 0 * * *', timezone }, now);
    return [];
  } catch (error) {
    if (error instanceof ScheduleError) return [{ path: `/${error.field}`, message: error.message }];
    throw error;
  }
}

/** @param value null where a patch takes the variable away */
function variableViolations(name: string, value: string | null): Violation[] {
  const message = value === null ? undefined : (nameFault(name) ?? valueFault(value));
  return message === undefined ? [] : [{ path: `/env/${pointerToken(name)}`, message }];
}
