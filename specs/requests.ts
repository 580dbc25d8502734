/** Bodies that clients send. Unknown fields are refused, so that a typo is never silently dropped. */
import { Type, type Static } from '@sinclair/typebox';
import { ContextPath } from './deployment.ts';
import { Name } from './meta.ts';
import { Release } from './service.ts';
import { Environment, Health, Listen, Resources } from './workload.ts';

const strict = { additionalProperties: false };

export const CreateProject = Type.Object({ name: Name }, strict);
export type CreateProject = Static<typeof CreateProject>;

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
    tls_enabled: Type.Optional(Type.Boolean()),
    resources: Type.Optional(Type.Partial(Resources, strict)),
    release: Type.Optional(Type.Partial(Release, strict)),
  },
  strict,
);
export type CreateService = Static<typeof CreateService>;

/** Upload source of a deployment (the seed's 2.6). */
export const CreateDeployment = Type.Object(
  {
    service_id: Type.String({ minLength: 1, maxLength: 64 }),
    upload_id: Type.String({ minLength: 1, maxLength: 64 }),
    dockerfile_path: Type.Optional(ContextPath),
    context_path: Type.Optional(ContextPath),
  },
  strict,
);
export type CreateDeployment = Static<typeof CreateDeployment>;

export const RollbackService = Type.Object(
  { deployment_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) },
  strict,
);
export type RollbackService = Static<typeof RollbackService>;
