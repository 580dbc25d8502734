/** Job: a command that runs to its end, on a schedule or on demand. Runs are its attempts. */
import { Type, type Static } from '@sinclair/typebox';
import { Condition } from './conditions.ts';
import { Duration } from './duration.ts';
import { RunReason } from './reasons.ts';
import { Environment, Resources, SecretVersions } from './workload.ts';

/** What a run that is due does while another one is not over: it is skipped, ends that one, or runs beside it. */
export const Concurrency = Type.Union(
  [Type.Literal('forbid'), Type.Literal('replace'), Type.Literal('allow')],
  { default: 'forbid', description: 'what a due run does while another is under way' },
);
export type Concurrency = Static<typeof Concurrency>;

const Arguments = Type.Array(Type.String({ maxLength: 65_536 }), { maxItems: 1000 });

/** At least one, so that whoever started a run can still read how it ended. */
export const JobKeep = Type.Object(
  {
    succeeded: Type.Integer({ minimum: 1, maximum: 1000, default: 5 }),
    failed: Type.Integer({ minimum: 1, maximum: 1000, default: 5 }),
  },
  {
    additionalProperties: false,
    description: 'runs that are kept, of those that succeeded and of those that did not',
  },
);
export type JobKeep = Static<typeof JobKeep>;

export const JobSpec = Type.Object(
  {
    project_id: Type.String(),
    /** An image, or the image, environment and secrets of a service's promoted deployment. Exactly one is not null. */
    image: Type.Union([Type.String({ minLength: 1, maxLength: 1024 }), Type.Null()]),
    service_id: Type.Union([Type.String(), Type.Null()]),
    /** Empty: the image's own; only where `image` is given. */
    command: Arguments,
    /** Beside the service's; where both have a name, this one counts. */
    env: Environment,
    resources: Resources,
    /** Cron, five fields; null: on demand only. */
    schedule: Type.Union([Type.String({ maxLength: 256 }), Type.Null()]),
    /** IANA name, such as Europe/Berlin. */
    timezone: Type.String({ default: 'UTC', maxLength: 64 }),
    /** Since when the schedule is as it is: times before were never wanted, and so not missed. */
    scheduled_since: Type.String(),
    concurrency: Concurrency,
    /** From the start of the first try, over all of them. */
    deadline: Type.Intersect([Duration], { default: '1h', description: 'after which a run is killed' }),
    retries: Type.Integer({ minimum: 0, maximum: 100, default: 0 }),
    /** A scheduled run that was missed for longer than this is not made up for. */
    starting_deadline: Type.Intersect([Duration], { default: '10m' }),
    keep: JobKeep,
    /** Run by every deployment of its service before its gate (migrations), and not otherwise. */
    release: Type.Boolean({ default: false }),
    suspended: Type.Boolean({ default: false }),
  },
  { additionalProperties: false },
);
export type JobSpec = Static<typeof JobSpec>;

export const JobStatus = Type.Object({
  /** The time of the schedule that was last seen to, whether it ran or was skipped. */
  scheduled_at: Type.Union([Type.String(), Type.Null()]),
  /** The next time of the schedule; null where there is none. */
  next_at: Type.Union([Type.String(), Type.Null()]),
  conditions: Type.Array(Condition),
});
export type JobStatus = Static<typeof JobStatus>;

/**
 * ```
 * Pending → Running → Succeeded
 *    │         ├────→ Failed     its last try ended so, or its deadline passed
 *    └─────────┴────→ Stopped    on request, or replaced by a newer run
 * ```
 */
export const RunPhase = Type.Union([
  Type.Literal('Pending'),
  Type.Literal('Running'),
  Type.Literal('Succeeded'),
  Type.Literal('Failed'),
  Type.Literal('Stopped'),
]);
export type RunPhase = Static<typeof RunPhase>;

/** Whether nothing more will happen to it. */
export function isOver(phase: RunPhase): boolean {
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Stopped';
}

/** Runs of one job that are not over: each is a container, and a key that the node looks after. */
export const mostUnderWay = 50;

/** Who asked for a run: the clock, somebody, or a deployment before its gate. */
export const RunTrigger = Type.Union([
  Type.Literal('schedule'),
  Type.Literal('request'),
  Type.Literal('release'),
]);
export type RunTrigger = Static<typeof RunTrigger>;

/** Frozen when it is asked for; only `stopped` changes. */
export const RunSpec = Type.Object(
  {
    job_id: Type.String(),
    project_id: Type.String(),
    service_id: Type.Union([Type.String(), Type.Null()]),
    /** The deployment whose image it runs, or whose release job it is. */
    deployment_id: Type.Union([Type.String(), Type.Null()]),
    trigger: RunTrigger,
    /** The schedule's time; null where something else asked for it. */
    scheduled_for: Type.Union([Type.String(), Type.Null()]),
    /** Reference, or content id of an image that the engine has. */
    image: Type.String(),
    command: Arguments,
    env: Environment,
    secrets: SecretVersions,
    resources: Resources,
    deadline: Duration,
    retries: Type.Integer({ minimum: 0 }),
    /** Whether it waits until runs of its job that were asked to stop have ended. */
    exclusive: Type.Boolean(),
    stopped: Type.Boolean(),
  },
  { additionalProperties: false },
);
export type RunSpec = Static<typeof RunSpec>;

export const RunStatus = Type.Object({
  phase: RunPhase,
  reason: Type.String(),
  message: Type.String(),
  exit_code: Type.Union([Type.Integer(), Type.Null()]),
  /** How many were begun; the number of the one that is under way. */
  tries: Type.Integer({ minimum: 0 }),
  /** Of the try that is under way or just over. */
  container: Type.Union([Type.String(), Type.Null()]),
  /** Content id of the image, once the engine has it. */
  image: Type.Union([Type.String(), Type.Null()]),
  /** Its address in the project's network; null while it has none. */
  address: Type.Union([Type.String(), Type.Null()]),
  started_at: Type.Union([Type.String(), Type.Null()]),
  finished_at: Type.Union([Type.String(), Type.Null()]),
  /** Set once a try has failed: when the next one begins. */
  retry_at: Type.Union([Type.String(), Type.Null()]),
  conditions: Type.Array(Condition),
});
export type RunStatus = Static<typeof RunStatus>;

/** The status of a run that was just asked for. */
export const runAskedFor: RunStatus = {
  phase: 'Pending',
  reason: RunReason.Queued,
  message: 'Waiting to be started.',
  exit_code: null,
  tries: 0,
  container: null,
  image: null,
  address: null,
  started_at: null,
  finished_at: null,
  retry_at: null,
  conditions: [],
};
