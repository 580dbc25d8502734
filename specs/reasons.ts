/** Every reason that a condition or a deployment's status may carry, by kind. Documentation and tests read this list. */

export const ProjectReason = { NetworkReady: 'NetworkReady', NetworkPending: 'NetworkPending' } as const;

export const ServiceReason = {
  /** Its promoted deployment serves. */
  Serving: 'Serving',
  /** Nothing was deployed yet. */
  NotDeployed: 'NotDeployed',
  /** Stopped on purpose. */
  Stopped: 'Stopped',
  /** Promoted, but none of its replicas is ready. */
  NoHealthyReplica: 'NoHealthyReplica',
} as const;

export const DeploymentReason = {
  Queued: 'Queued',
  Building: 'Building',
  BuildFailed: 'BuildFailed',
  BuildTimedOut: 'BuildTimedOut',
  UploadGone: 'UploadGone',
  EngineUnavailable: 'EngineUnavailable',
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
  Promoted: 'Promoted',
  /** A newer deployment was promoted. */
  Replaced: 'Replaced',
  /** A newer deployment was asked for before this one was promoted. */
  Superseded: 'Superseded',
  Cancelled: 'Cancelled',
  Stopped: 'Stopped',
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
} as const;

export type Reason<T extends Record<string, string>> = T[keyof T];
