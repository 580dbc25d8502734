/** Bodies about jobs that clients send. Unknown fields are refused, so that a typo is never silently dropped. */
import { Type, type Static } from '@sinclair/typebox';
import { Duration } from './duration.ts';
import { Concurrency, JobKeep } from './job.ts';
import { Name } from './meta.ts';
import { byVariable, Command, Environment, EnvironmentName, Resources } from './workload.ts';

const strict = { additionalProperties: false };
const image = Type.String({ minLength: 1, maxLength: 1024, description: 'reference of an image' });
const serviceId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'the service in whose current image, with whose environment and secrets, it runs',
});
const schedule = Type.Union([Type.String({ minLength: 1, maxLength: 256 }), Type.Null()], {
  description: 'cron, five fields; null: on demand only',
});

const settings = {
  timezone: Type.Optional(Type.String({ maxLength: 64, description: 'IANA name; UTC when absent' })),
  concurrency: Type.Optional(Concurrency),
  deadline: Type.Optional(Duration),
  retries: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  starting_deadline: Type.Optional(Duration),
  keep: Type.Optional(Type.Partial(JobKeep, strict)),
  resources: Type.Optional(Type.Partial(Resources, strict)),
  release: Type.Optional(
    Type.Boolean({
      description: 'run by every deployment of its service before its gate, and not otherwise',
    }),
  ),
  suspended: Type.Optional(Type.Boolean({ description: 'its schedule rests' })),
};
const fields = {
  project: Type.String({ minLength: 1, maxLength: 64, description: "the project's name or id" }),
  name: Name,
  command: Type.Optional(Command),
  env: Type.Optional(Environment),
  schedule: Type.Optional(schedule),
  ...settings,
};

/**
 * A command in an image, or in a service's. That both are given, or no command for a service, is refused by the rules, which
 * have better sentences for it.
 */
export const CreateJob = Type.Union([
  Type.Object({ ...fields, image, service_id: Type.Optional(serviceId) }, strict),
  Type.Object({ ...fields, image: Type.Optional(image), service_id: serviceId }, strict),
]);
export type CreateJob = Static<typeof CreateJob>;

/** A merge patch (RFC 7396): what is absent stays, objects are merged. Runs that were asked for keep what they froze. */
export const UpdateJob = Type.Object(
  {
    image: Type.Optional(image),
    command: Type.Optional(Command),
    env: Type.Optional(
      Type.Record(EnvironmentName, Type.Union([Type.String({ maxLength: 65_536 }), Type.Null()]), byVariable),
    ),
    schedule: Type.Optional(schedule),
    ...settings,
  },
  { ...strict, minProperties: 1 },
);
export type UpdateJob = Static<typeof UpdateJob>;
