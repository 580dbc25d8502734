/** The schemas that have a name in the OpenAPI document. Wherever one of these very objects stands in a route, it is referred to. */
import type { TSchema } from '@sinclair/typebox';
import * as account from '../../specs/account.ts';
import { AuditEntry } from '../../specs/audit.ts';
import { Condition } from '../../specs/conditions.ts';
import { ConsoleTicket, OpenConsole } from '../../specs/console.ts';
import { DeploymentPhase, DeploymentSource } from '../../specs/deployment.ts';
import { Concurrency, JobKeep, RunPhase, RunTrigger } from '../../specs/job.ts';
import { CreateJob, UpdateJob } from '../../specs/job-requests.ts';
import { JobResource, RunResource } from '../../specs/job-resources.ts';
import * as metrics from '../../specs/metrics.ts';
import { Event } from '../../specs/event.ts';
import { Problem, Violation } from '../../specs/problem.ts';
import * as requests from '../../specs/requests.ts';
import * as resources from '../../specs/resources.ts';
import { Release } from '../../specs/service.ts';
import { Health, Listen, Resources } from '../../specs/workload.ts';

const named: Readonly<Record<string, TSchema>> = {
  Problem,
  Violation,
  Condition,
  Project: resources.ProjectResource,
  Service: resources.ServiceResource,
  Deployment: resources.DeploymentResource,
  Replica: resources.ReplicaSummary,
  ServiceMetrics: metrics.ServiceMetrics,
  ReplicaMetrics: metrics.ReplicaMetrics,
  WorkloadFigures: metrics.WorkloadFigures,
  Latency: metrics.Latency,
  Upload: resources.UploadResource,
  Secret: resources.SecretResource,
  Registry: resources.RegistryResource,
  Domain: resources.DomainResource,
  DeployKey: resources.DeployKeyResource,
  KnownHost: resources.KnownHostResource,
  Volume: resources.VolumeResource,
  Node: resources.NodeResource,
  RotatedKey: resources.RotatedKey,
  AuditEntry,
  Event,
  OpenConsole,
  ConsoleTicket,
  DeploymentPhase,
  DeploymentSource,
  Release,
  Job: JobResource,
  Run: RunResource,
  RunPhase,
  RunTrigger,
  Concurrency,
  JobKeep,
  CreateJob,
  UpdateJob,
  Health,
  Listen,
  Resources,
  CreateProject: requests.CreateProject,
  CreateService: requests.CreateService,
  UpdateService: requests.UpdateService,
  UpdateSecrets: requests.UpdateSecrets,
  DeployUpload: requests.DeployUpload,
  DeployGit: requests.DeployGit,
  DeployImage: requests.DeployImage,
  CreateDeployment: requests.CreateDeployment,
  RollbackService: requests.RollbackService,
  CreateRegistry: requests.CreateRegistry,
  CreateDomain: requests.CreateDomain,
  CreateDeployKey: requests.CreateDeployKey,
  User: account.User,
  Role: account.Role,
  Member: account.Member,
  Session: account.Session,
  ApiToken: account.ApiToken,
  MintedApiToken: account.MintedApiToken,
  Me: account.Me,
  Credentials: account.Credentials,
  Login: account.Login,
  CreateUser: account.CreateUser,
  UpdateUser: account.UpdateUser,
  ChangePassword: account.ChangePassword,
  PutMember: account.PutMember,
  CreateApiToken: account.CreateApiToken,
};

const names = new Map<unknown, string>(Object.entries(named).map(([name, schema]) => [schema, name]));

/** A schema as plain JSON, with references to the named ones. */
export function schemaJson(schema: unknown): unknown {
  const name = names.get(schema);
  return name === undefined ? inlineJson(schema) : { $ref: `#/components/schemas/${name}` };
}

export function namedSchemasJson(): Record<string, unknown> {
  return Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, inlineJson(schema)]));
}

/** Without the symbols that TypeBox keeps for itself. */
function inlineJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(schemaJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, schemaJson(member)]));
}
