/** Bodies that clients send. Unknown fields are refused, so that a typo is never silently dropped. */
import { Type, type Static } from '@sinclair/typebox';
import { ContextPath } from './deployment.ts';
import { leastSecretLength } from './mask/forms.ts';
import { Name } from './meta.ts';
import { RegistryServer } from './registry.ts';
import { Release } from './service.ts';
import {
  byVariable,
  Command,
  Environment,
  EnvironmentName,
  Health,
  Listen,
  Resources,
  VolumeMounts,
} from './workload.ts';

const strict = { additionalProperties: false };

export const CreateProject = Type.Object({ name: Name }, strict);
export type CreateProject = Static<typeof CreateProject>;

/** How many secrets a service has at most. */
export const mostSecrets = 500;

/**
 * How many bytes their values have together at most. All of them are the environment of one process, and Linux takes 2 MiB for
 * environment and arguments where the stack may have 8 MiB (execve(2)): half of it is left to the rest.
 */
export const mostSecretBytes = 2 ** 20;

const secretNames = Type.Array(EnvironmentName, {
  maxItems: mostSecrets,
  uniqueItems: true,
  description: 'names of secret environment variables; values are set by PATCH …/secrets',
});

export const CreateService = Type.Object(
  {
    project: Type.String({ minLength: 1, maxLength: 64, description: "the project's name or id" }),
    name: Name,
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    listen: Type.Optional(Listen),
    health: Type.Optional(Type.Partial(Health, strict)),
    health_path: Type.Optional(Type.Index(Health, Type.Literal('path'))),
    replicas: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    env: Type.Optional(Environment),
    secrets: Type.Optional(secretNames),
    tls_enabled: Type.Optional(Type.Boolean()),
    resources: Type.Optional(Type.Partial(Resources, strict)),
    command: Type.Optional(Command),
    volumes: Type.Optional(VolumeMounts),
    release: Type.Optional(Type.Partial(Release, strict)),
  },
  strict,
);
export type CreateService = Static<typeof CreateService>;

const port = Type.Integer({ minimum: 1, maximum: 65_535 });

/**
 * A merge patch (RFC 7396): what is absent stays, objects are merged, null takes a variable away. What changes how the
 * workload runs is released as a new deployment of the same image.
 */
export const UpdateService = Type.Object(
  {
    port: Type.Optional(port),
    listen: Type.Optional(Listen),
    health: Type.Optional(Type.Partial(Health, strict)),
    health_path: Type.Optional(Type.Index(Health, Type.Literal('path'))),
    replicas: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    env: Type.Optional(
      Type.Record(EnvironmentName, Type.Union([Type.String({ maxLength: 65_536 }), Type.Null()]), byVariable),
    ),
    secrets: Type.Optional(secretNames),
    tls_enabled: Type.Optional(Type.Boolean()),
    resources: Type.Optional(Type.Partial(Resources, strict)),
    command: Type.Optional(Type.Union([Command, Type.Null()])),
    volumes: Type.Optional(VolumeMounts),
    release: Type.Optional(Type.Partial(Release, strict)),
  },
  { ...strict, minProperties: 1 },
);
export type UpdateService = Static<typeof UpdateService>;

/** Values of secrets, set and taken away in one step. */
export const UpdateSecrets = Type.Object(
  {
    set: Type.Optional(
      Type.Record(
        EnvironmentName,
        Type.String({ minLength: leastSecretLength, maxLength: 65_536 }),
        byVariable,
      ),
    ),
    unset: Type.Optional(Type.Array(EnvironmentName, { maxItems: mostSecrets, uniqueItems: true })),
  },
  { ...strict, minProperties: 1 },
);
export type UpdateSecrets = Static<typeof UpdateSecrets>;

export const CreateRegistry = Type.Object(
  {
    server: RegistryServer,
    username: Type.String({ minLength: 1, maxLength: 256 }),
    password: Type.String({ minLength: leastSecretLength, maxLength: 65_536 }),
  },
  strict,
);
export type CreateRegistry = Static<typeof CreateRegistry>;

export const CreateDomain = Type.Object(
  {
    hostname: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'such as shop.example.com; kept in lower case and punycode',
    }),
  },
  strict,
);
export type CreateDomain = Static<typeof CreateDomain>;

export const CreateDeployKey = Type.Object(
  {
    private_key: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: 'unencrypted, in PEM or OpenSSH format',
    }),
  },
  strict,
);
export type CreateDeployKey = Static<typeof CreateDeployKey>;

const ofService = { service_id: Type.String({ minLength: 1, maxLength: 64 }) };
const buildPaths = {
  dockerfile_path: Type.Optional(ContextPath),
  context_path: Type.Optional(ContextPath),
};

export const DeployUpload = Type.Object(
  { ...ofService, upload_id: Type.String({ minLength: 1, maxLength: 64 }), ...buildPaths },
  strict,
);
export type DeployUpload = Static<typeof DeployUpload>;

export const DeployGit = Type.Object(
  {
    ...ofService,
    repo_url: Type.String({ description: 'https://host/path, ssh://user@host/path or user@host:path' }),
    git_ref: Type.String({ description: 'a branch, a tag or a commit; resolved to a commit once' }),
    ...buildPaths,
  },
  strict,
);
export type DeployGit = Static<typeof DeployGit>;

export const DeployImage = Type.Object(
  { ...ofService, image: Type.String({ description: 'reference of an image, as docker pull takes it' }) },
  strict,
);
export type DeployImage = Static<typeof DeployImage>;

/** Exactly one of three sources (the seed's 2.6). */
export const CreateDeployment = Type.Union([DeployUpload, DeployGit, DeployImage]);
export type CreateDeployment = Static<typeof CreateDeployment>;

export const RollbackService = Type.Object(
  { deployment_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) },
  strict,
);
export type RollbackService = Static<typeof RollbackService>;
