/** Jobs and runs as the API answers them. */
import { Type, type Static } from '@sinclair/typebox';
import { Concurrency, JobKeep, RunPhase, RunTrigger } from './job.ts';
import { Name } from './meta.ts';
import { meta } from './resources.ts';
import { Environment, Resources } from './workload.ts';

const nullableString = Type.Union([Type.String(), Type.Null()]);
const time = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const command = Type.Array(Type.String(), { description: "empty: the image's own" });

export const JobResource = Type.Object({
  ...meta,
  name: Name,
  project: Type.String({ description: "the project's name" }),
  project_id: Type.String(),
  image: nullableString,
  service_id: Type.Union([Type.String(), Type.Null()], { description: 'in whose current image it runs' }),
  command,
  env: Type.Intersect([Environment], { description: 'a Viewer sees the names; each value is ***' }),
  resources: Resources,
  schedule: Type.Union([Type.String(), Type.Null()], { description: 'null: on demand only' }),
  timezone: Type.String(),
  concurrency: Concurrency,
  deadline: Type.String(),
  retries: Type.Integer(),
  starting_deadline: Type.String(),
  keep: JobKeep,
  release: Type.Boolean(),
  suspended: Type.Boolean(),
  scheduled_at: time('the time of its schedule that was last seen to, whether it ran or was skipped'),
  next_run_at: time('the next time of its schedule'),
  last_run: Type.Union([
    Type.Object({ id: Type.String(), status: RunPhase, created_at: Type.String() }),
    Type.Null(),
  ]),
});
export type JobResource = Static<typeof JobResource>;

export const RunResource = Type.Object({
  ...meta,
  job_id: Type.String(),
  job: Type.String({ description: "the job's name" }),
  project: Type.String({ description: "the project's name" }),
  project_id: Type.String(),
  service_id: nullableString,
  deployment_id: Type.Union([Type.String(), Type.Null()], {
    description: 'in whose image it runs, or whose release job it is',
  }),
  trigger: RunTrigger,
  scheduled_for: time('the time of the schedule that it is for'),
  status: RunPhase,
  reason: Type.String(),
  message: Type.String(),
  exit_code: Type.Union([Type.Integer(), Type.Null()], { description: 'of its last try that ended' }),
  tries: Type.Integer({ description: 'how many were begun' }),
  retries: Type.Integer({ description: 'how many may follow the first' }),
  next_try_at: time('when the next try begins, after one that failed'),
  image: Type.String({ description: 'content id once the engine has it, the reference until then' }),
  command,
  deadline: Type.String(),
  started_at: nullableString,
  finished_at: nullableString,
});
export type RunResource = Static<typeof RunResource>;
