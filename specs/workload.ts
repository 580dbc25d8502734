/** What a replica runs. A deployment freezes one of these, so that a rollback restores all of it. */
import { Type, type Static } from '@sinclair/typebox';
import { Duration } from './duration.ts';
import { Name } from './meta.ts';
import { Quantity } from './quantity.ts';

export const Health = Type.Object(
  {
    path: Type.String({
      pattern: '^/[!-~]*$',
      maxLength: 1024,
      default: '/',
      description: 'HTTP path, from its / on, that answers 2xx when the workload can serve',
    }),
    interval: Type.Intersect([Duration], { default: '1s', description: 'pause between two probes' }),
    timeout: Type.Intersect([Duration], { default: '5s', description: 'after which a probe has failed' }),
    deadline: Type.Intersect([Duration], {
      default: '2m',
      description: 'after which an unhealthy deployment has failed',
    }),
    successes: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 1,
      description: 'good answers in a row that pass the gate',
    }),
  },
  { additionalProperties: false },
);
export type Health = Static<typeof Health>;

export const Resources = Type.Object(
  {
    cpus: Type.Number({ exclusiveMinimum: 0, maximum: 1024, default: 1 }),
    memory: Type.Intersect([Quantity], { default: '512Mi' }),
    pids: Type.Integer({ minimum: 16, maximum: 1_000_000, default: 512 }),
  },
  { additionalProperties: false },
);
export type Resources = Static<typeof Resources>;

/** Name of an environment variable. */
const nameRule = 'letters, digits and underscores, no digit first; at most 256 characters';
export const EnvironmentName = Type.String({
  pattern: '^[A-Za-z_][A-Za-z0-9_]{0,255}$',
  description: nameRule,
});

/** Of an object by variable: refuses other names, and says what a name is. */
export const byVariable = { additionalProperties: false, description: nameRule };

/** Environment of a workload. The names that svc sets itself (PORT, SVC_*) are refused by the service rules. */
export const Environment = Type.Record(EnvironmentName, Type.String({ maxLength: 65_536 }), byVariable);
export type Environment = Static<typeof Environment>;

/** Secret environment variables: name → version of the sealed value. The values are nowhere but in the vault. */
export const SecretVersions = Type.Record(EnvironmentName, Type.Integer({ minimum: 1 }), byVariable);
export type SecretVersions = Static<typeof SecretVersions>;

export const Listen = Type.Union([Type.Literal('tcp'), Type.Literal('socket')], {
  default: 'tcp',
  description: 'tcp: the workload listens on $PORT; socket: on $SVC_SOCKET',
});
export type Listen = Static<typeof Listen>;

/** What is started instead of the image's own command; its entrypoint stays. */
export const Command = Type.Array(Type.String({ maxLength: 65_536 }), {
  minItems: 1,
  maxItems: 1000,
  description: "arguments that take the place of the image's command",
});
export type Command = Static<typeof Command>;

const mount = Type.String({
  pattern: '^/[^\u0000-\u001f:]*$',
  maxLength: 1024,
  description: 'absolute path inside the workload',
});

/** A volume of the service by name, or a path of the host that the node's operator has named and allowed for the project. */
export const VolumeMount = Type.Union([
  Type.Object({ name: Name, mount }, { additionalProperties: false }),
  Type.Object({ host: Name, mount }, { additionalProperties: false }),
]);
export type VolumeMount = Static<typeof VolumeMount>;

export const VolumeMounts = Type.Array(VolumeMount, { maxItems: 50 });

export const Workload = Type.Object(
  {
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    listen: Listen,
    health: Health,
    env: Environment,
    secrets: SecretVersions,
    resources: Resources,
    /** Absent: the image's own. (Absent rather than null, so that the revision of what has none stays what it was.) */
    command: Type.Optional(Command),
    /** Absent: none. */
    volumes: Type.Optional(VolumeMounts),
  },
  { additionalProperties: false },
);
export type Workload = Static<typeof Workload>;
