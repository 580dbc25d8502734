/** Resources as the API answers them: flat, snake_case, the same shape in `svc get -o json`. */
import { Type, type Static, type TObject, type TProperties } from '@sinclair/typebox';
import { Condition } from './conditions.ts';
import { DeploymentPhase, DeploymentSource, Receipt } from './deployment.ts';
import { Disk } from './gc.ts';
import { DomainPhase } from './domain.ts';
import { Name } from './meta.ts';
import { ReplicaPhase, Exit } from './replica.ts';
import { Release } from './service.ts';
import { Command, Environment, Health, Listen, Resources, SecretVersions, VolumeMounts } from './workload.ts';

/** What every resource with a row shows of it. */
export const meta = {
  id: Type.String(),
  generation: Type.Integer(),
  observed_generation: Type.Integer(),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
  deleting: Type.Boolean({
    description: 'deletion was asked for; it is still answered until all of it is gone, and takes no writes',
  }),
  conditions: Type.Array(Condition),
};

const nullableString = Type.Union([Type.String(), Type.Null()]);

export const ProjectResource = Type.Object({ ...meta, name: Name });
export type ProjectResource = Static<typeof ProjectResource>;

export const ServiceResource = Type.Object({
  ...meta,
  name: Name,
  project: Type.String({ description: "the project's name" }),
  project_id: Type.String(),
  port: Type.Integer(),
  listen: Listen,
  health: Health,
  replicas: Type.Integer(),
  env: Type.Intersect([Environment], { description: 'a Viewer sees the names; each value is ***' }),
  secrets: Type.Array(Type.String(), { description: 'names of secret environment variables' }),
  tls_enabled: Type.Boolean(),
  resources: Resources,
  command: Type.Union([Command, Type.Null()], { description: "null: the image's own" }),
  volumes: VolumeMounts,
  release: Release,
  /** False after `svc stop`. */
  running: Type.Boolean(),
  epoch: Type.Integer({
    description: 'raised by one for every restart; a deployment whose epoch is this has carried it out',
  }),
  target_deployment_id: nullableString,
  promoted_deployment_id: nullableString,
  previous_deployment_id: nullableString,
  bake: Type.Union(
    [Type.Object({ deployment_id: Type.String(), until: Type.String({ format: 'date-time' }) }), Type.Null()],
    { description: 'the deployment that is watched, and taken back should it fail, and until when' },
  ),
  parked_since: Type.Union([Type.String(), Type.Null()], {
    description: 'since when requests wait at the ingress while a stop-first release is under way',
  }),
  /** Where the ingress serves it. */
  urls: Type.Array(Type.String()),
});
export type ServiceResource = Static<typeof ServiceResource>;

export const ReplicaSummary = Type.Object({
  id: Type.String(),
  phase: ReplicaPhase,
  restarts: Type.Integer(),
  started_at: nullableString,
  last_exit: Type.Union([Exit, Type.Null()]),
  probe: nullableString,
});
export type ReplicaSummary = Static<typeof ReplicaSummary>;

export const DeploymentResource = Type.Object({
  ...meta,
  service_id: Type.String(),
  number: Type.Integer({ description: '1, 2, 3, … within the service' }),
  status: DeploymentPhase,
  reason: Type.String(),
  message: Type.String(),
  source: DeploymentSource,
  reuse: Type.Union([Type.String(), Type.Null()], {
    description:
      'the deployment whose image this one runs with a changed configuration; null when it was built',
  }),
  image: nullableString,
  commit: Type.Union([Type.String(), Type.Null()], { description: 'that a Git source was resolved to' }),
  digest: Type.Union([Type.String(), Type.Null()], {
    description: 'repository@sha256:… that an external image was resolved to',
  }),
  receipt: Type.Union([Receipt, Type.Null()], {
    description: 'what became of requests while it took over; null before it was promoted',
  }),
  watched_until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'until when it is watched, to be taken back should it fail; null when it is not',
  }),
  port: Type.Integer(),
  listen: Listen,
  health: Health,
  env: Type.Intersect([Environment], {
    description: 'as it was frozen; a Viewer sees the names, each value is ***',
  }),
  secrets: Type.Intersect([SecretVersions], {
    description: 'secret variables, and the version of the value of each',
  }),
  resources: Resources,
  command: Type.Union([Command, Type.Null()], { description: "null: the image's own" }),
  volumes: VolumeMounts,
  rollback: Type.Object(
    { possible: Type.Boolean(), reason: nullableString },
    { description: 'whether a rollback may name it, and if not, why' },
  ),
  /** Whether routing points at it. */
  promoted: Type.Boolean(),
  promoted_at: nullableString,
  epoch: Type.Union([Type.Integer(), Type.Null()], {
    description: 'the restart whose replicas serve; null while none do',
  }),
  failed_epoch: Type.Union([Type.Integer(), Type.Null()], {
    description: 'the restart that did not become healthy',
  }),
  replicas: Type.Array(ReplicaSummary),
});
export type DeploymentResource = Static<typeof DeploymentResource>;

export const UploadResource = Type.Object({
  upload_id: Type.String(),
  service_id: Type.String(),
  bytes: Type.Integer(),
  unpacked_bytes: Type.Integer(),
  entries: Type.Integer(),
  sha256: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
});
export type UploadResource = Static<typeof UploadResource>;

export const NodeResource = Type.Object({
  version: Type.String(),
  control_domain: nullableString,
  apps_domain: nullableString,
  engine: Type.Object({
    reachable: Type.Boolean(),
    endpoint: nullableString,
    version: nullableString,
    message: nullableString,
  }),
  acme: Type.Object({ enabled: Type.Boolean() }),
  ingress: Type.Object({
    workers: Type.Array(Type.Object({ slot: Type.Integer(), pid: Type.Integer(), revision: Type.Integer() })),
    revision: Type.Integer({ description: 'of the newest route set that every worker serves' }),
  }),
  disks: Type.Array(Disk),
});
export type NodeResource = Static<typeof NodeResource>;

/** A declared secret of a service; the value is never answered. Listed by name. */
export const SecretResource = Type.Object({
  name: Type.String(),
  version: Type.Union([Type.Integer(), Type.Null()], { description: 'null while there is no value' }),
  updated_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
});
export type SecretResource = Static<typeof SecretResource>;

/** Of the hostname of a service with TLS. */
export const CertificateState = Type.Object({
  status: Type.Union([
    Type.Literal('Pending'),
    Type.Literal('Issued'),
    Type.Literal('Failed'),
    Type.Literal('Expired'),
  ]),
  message: Type.String({ description: 'what it waits for, or what is wrong, in words' }),
  not_after: nullableString,
  renew_at: nullableString,
  retry_at: Type.Union([Type.String(), Type.Null()], {
    description: 'after a failure: not asked for again before',
  }),
  last_error: nullableString,
});
export type CertificateState = Static<typeof CertificateState>;

export const DomainResource = Type.Object({
  ...meta,
  domain_id: Type.String({ description: 'the id, as paths name it' }),
  service_id: Type.String(),
  project_id: Type.String(),
  hostname: Type.String({ description: 'lower case and punycode' }),
  status: DomainPhase,
  last_error: Type.Union([Type.String(), Type.Null()], {
    description: 'what kept it from being verified, or from being seen here when it was last looked at',
  }),
  verified_at: nullableString,
  checked_at: Type.Union([Type.String(), Type.Null()], { description: 'when it was last looked at' }),
  challenge: Type.Object(
    { url: Type.String(), token: Type.String() },
    { description: 'the URL answers the token as soon as DNS leads the hostname to this node' },
  ),
  certificate: Type.Union([CertificateState, Type.Null()], {
    description: 'null while its service has no TLS',
  }),
});
export type DomainResource = Static<typeof DomainResource>;

/** The password is never answered. */
export const RegistryResource = Type.Object({
  id: Type.String(),
  project_id: Type.String(),
  server: Type.String(),
  username: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type RegistryResource = Static<typeof RegistryResource>;

/** The private half is never answered. */
export const DeployKeyResource = Type.Object({
  id: Type.String(),
  project_id: Type.String(),
  type: Type.String({ description: 'ssh-ed25519, ssh-rsa, ecdsa-sha2-nistp256, …' }),
  bits: Type.Integer(),
  public_key: Type.String({ description: 'one line, as Git hosts take it' }),
  fingerprint: Type.String({ description: 'SHA256:…, as ssh-keygen -l prints it' }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type DeployKeyResource = Static<typeof DeployKeyResource>;

/** A Git host that a project knows. */
export const VolumeResource = Type.Object({
  ...meta,
  name: Type.String({ description: 'service.volume' }),
  project_id: Type.String(),
  service: Type.String({ description: 'name of the service that it belongs to, also when there is none' }),
  volume: Type.String({ description: 'what the service calls it' }),
});
export type VolumeResource = Static<typeof VolumeResource>;

export const KnownHostResource = Type.Object({
  id: Type.String(),
  project_id: Type.String(),
  host: Type.String({ description: 'host, or [host]:port where the port is not 22' }),
  keys: Type.Array(Type.String(), { description: "lines in the format of OpenSSH's known_hosts" }),
  fingerprints: Type.Array(Type.String(), { description: 'SHA256:… of each, as ssh-keygen -l prints them' }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});
export type KnownHostResource = Static<typeof KnownHostResource>;

/** What `POST /v1/node/rotate-key` did. */
export const RotatedKey = Type.Object({
  key_version: Type.Integer(),
  resealed: Type.Integer({ description: 'values that are now sealed under the new key' }),
  unreadable: Type.Integer({ description: 'values that the old key could not open; they stay as they are' }),
  message: Type.String({ description: 'what else the new key changes' }),
});
export type RotatedKey = Static<typeof RotatedKey>;

/** A page of a list: newest first; `next_cursor` is null on the last page. */
export const Page = <T extends TProperties>(item: TObject<T>) =>
  Type.Object({ items: Type.Array(item), next_cursor: nullableString });
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}
