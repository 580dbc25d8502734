/** Every reason that a condition or a deployment's status may carry, by kind. Documentation and tests read this list. */

/** Why something that is being deleted is still there; also of services. */
const DeletionReason = {
  /** What belongs to it goes first. */
  Deleting: 'Deleting',
  /** The engine is out of reach, or keeps something of it. */
  EngineUnavailable: 'EngineUnavailable',
} as const;

export const ProjectReason = {
  NetworkReady: 'NetworkReady',
  NetworkPending: 'NetworkPending',
  ...DeletionReason,
} as const;

export const ServiceReason = {
  /** Its promoted deployment serves. */
  Serving: 'Serving',
  /** Nothing was deployed yet. */
  NotDeployed: 'NotDeployed',
  /** Stopped on purpose. */
  Stopped: 'Stopped',
  /** Promoted, but none of its replicas is ready. */
  NoHealthyReplica: 'NoHealthyReplica',
  /** Nothing keeps its configuration from being deployed. */
  Configured: 'Configured',
  /** A declared secret has no value. */
  SecretMissing: 'SecretMissing',
  /** Its configuration was changed, and is released later. */
  ReleasePending: 'ReleasePending',
  ...DeletionReason,
} as const;

export const DeploymentReason = {
  Queued: 'Queued',
  Building: 'Building',
  BuildFailed: 'BuildFailed',
  BuildTimedOut: 'BuildTimedOut',
  UploadGone: 'UploadGone',
  EngineUnavailable: 'EngineUnavailable',
  /** A changed configuration: it takes over the image of an earlier deployment. */
  Reusing: 'Reusing',
  /** The image that it was to take over is gone. */
  ImageGone: 'ImageGone',
  WaitingForHealth: 'WaitingForHealth',
  WaitingForRoute: 'WaitingForRoute',
  /** The workload ended before it was healthy. */
  WorkloadExited: 'WorkloadExited',
  /** The engine killed it over its memory limit. */
  OutOfMemory: 'OutOfMemory',
  /** The engine refused to start it: no such command, no such user, … */
  StartFailed: 'StartFailed',
  /** The gate's deadline passed. */
  HealthCheckFailed: 'HealthCheckFailed',
  /** A secret of its environment has no value that can be opened. */
  SecretUnavailable: 'SecretUnavailable',
  Promoted: 'Promoted',
  /** A newer deployment was promoted. */
  Replaced: 'Replaced',
  /** A newer deployment was asked for before this one was promoted. */
  Superseded: 'Superseded',
  Cancelled: 'Cancelled',
  Stopped: 'Stopped',
  /** Its service is being deleted. */
  Deleting: 'Deleting',
} as const;

export const ReplicaReason = {
  Creating: 'Creating',
  Starting: 'Starting',
  Ready: 'Ready',
  Exited: 'Exited',
  OutOfMemory: 'OutOfMemory',
  BackOff: 'BackOff',
  StartFailed: 'StartFailed',
  EngineUnavailable: 'EngineUnavailable',
  SecretUnavailable: 'SecretUnavailable',
} as const;

export type Reason<T extends Record<string, string>> = T[keyof T];
