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
  /** Its network was removed by hand, and was made again. */
  Drifted: 'Drifted',
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
  /** The engine does not change the limits of a replica while it runs. */
  LimitsRefused: 'LimitsRefused',
  LimitsInForce: 'LimitsInForce',
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
  /** The Git source cannot be had: no such host, repository or ref, no access, an address that is not fetched from. */
  CloneFailed: 'CloneFailed',
  CloneTimedOut: 'CloneTimedOut',
  /** It has more bytes or files than a clone may have. */
  CloneTooLarge: 'CloneTooLarge',
  /** The Git host shows another key than the one that the project knows. */
  HostKeyChanged: 'HostKeyChanged',
  /** Its external image is being pulled. */
  Pulling: 'Pulling',
  /** The registry cannot be asked, is not trusted, or gave something that is not the image. */
  PullFailed: 'PullFailed',
  /** The registry went silent, or the pull took too long. */
  PullTimedOut: 'PullTimedOut',
  ImageNotFound: 'ImageNotFound',
  /** The registry wants other credentials than the project has. */
  RegistryDenied: 'RegistryDenied',
  RegistryRateLimited: 'RegistryRateLimited',
  /** The image is made for another kind of machine. */
  PlatformMismatch: 'PlatformMismatch',
  EngineUnavailable: 'EngineUnavailable',
  /** A changed configuration: it takes over the image of an earlier deployment. */
  Reusing: 'Reusing',
  /** Its image is not kept any longer: it cannot be rolled back to. */
  ImageReleased: 'ImageReleased',
  /** The image that it was to take over is gone. */
  ImageGone: 'ImageGone',
  /** A release job of its service is under way. */
  RunningReleaseJob: 'RunningReleaseJob',
  /** A release job did not succeed. */
  ReleaseJobFailed: 'ReleaseJobFailed',
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
  /** A volume or host path of it cannot be had. */
  MountUnavailable: 'MountUnavailable',
  /** Released stop-first: what served until now is being stopped, while requests wait. */
  StoppingOld: 'StoppingOld',
  /** Another deployment of its service is being started, and the two must not run at once. */
  GivingWay: 'GivingWay',
  /** It did not stop in time. */
  OldNotStopped: 'OldNotStopped',
  Promoted: 'Promoted',
  /** Another deployment was promoted: a newer one, or an older one that was rolled back to. */
  Replaced: 'Replaced',
  /** Another deployment was promoted and is being watched; this one keeps its replicas meanwhile. */
  StandingBy: 'StandingBy',
  /** Promoted, and taken back: it crashed, or failed more requests than the one before. */
  RolledBack: 'RolledBack',
  /** A newer deployment was asked for before this one was promoted. */
  Superseded: 'Superseded',
  Cancelled: 'Cancelled',
  Stopped: 'Stopped',
  /** Its service is being deleted. */
  Deleting: 'Deleting',
} as const;

export const DomainReason = {
  /** The challenge came back from this node. */
  ChallengeAnswered: 'ChallengeAnswered',
  /** DNS has no address for it, or gave no answer. */
  NoAddress: 'NoAddress',
  /** It leads here, but another service of the node has verified it before. */
  HeldByAnother: 'HeldByAnother',
  /** DNS leads somewhere, and no challenge came back from there. */
  PointsElsewhere: 'PointsElsewhere',
  ...DeletionReason,
} as const;

export const ReplicaReason = {
  Creating: 'Creating',
  Starting: 'Starting',
  /** It has run for a while and has given no good answer yet. */
  Unresponsive: 'Unresponsive',
  Ready: 'Ready',
  Exited: 'Exited',
  OutOfMemory: 'OutOfMemory',
  BackOff: 'BackOff',
  StartFailed: 'StartFailed',
  EngineUnavailable: 'EngineUnavailable',
  SecretUnavailable: 'SecretUnavailable',
  MountUnavailable: 'MountUnavailable',
  /** Stopped, and kept, while another deployment of its service is started. */
  Paused: 'Paused',
  /** Something of it was changed by hand, and was put right. */
  Drifted: 'Drifted',
  /** Its limits were changed while it runs, as somebody asked. */
  Resized: 'Resized',
  /** The engine does not change its limits while it runs. */
  LimitsRefused: 'LimitsRefused',
} as const;

export const VolumeReason = {
  Creating: 'Creating',
  /** The engine has it. */
  Present: 'Present',
  /** The engine has it no more, and nobody destroyed it. */
  Lost: 'Lost',
  /** It is being destroyed, and a container has it still. */
  InUse: 'InUse',
  ...DeletionReason,
} as const;

export const JobReason = {
  /** It has a schedule, and goes by it. */
  Scheduled: 'Scheduled',
  OnDemand: 'OnDemand',
  /** Run by the deployments of its service. */
  Release: 'Release',
  Suspended: 'Suspended',
  /** Its schedule can no longer be read: the node knows its time zone no more. */
  ScheduleInvalid: 'ScheduleInvalid',
  /** The last time of its schedule was kept. */
  OnTime: 'OnTime',
  /** Times of its schedule passed while nobody could keep them. */
  Missed: 'Missed',
  /** A run was under way at the last time of its schedule. */
  RunUnderWay: 'RunUnderWay',
  /** Its service has nothing to run it in. */
  NotDeployed: 'NotDeployed',
  ...DeletionReason,
} as const;

export const RunReason = {
  Queued: 'Queued',
  /** A run before it was asked to stop and has not ended. */
  WaitingForOther: 'WaitingForOther',
  PullingImage: 'PullingImage',
  /** Its image cannot be had. */
  PullFailed: 'PullFailed',
  ImageGone: 'ImageGone',
  EngineUnavailable: 'EngineUnavailable',
  Starting: 'Starting',
  Running: 'Running',
  /** A try failed, and another one follows. */
  BackOff: 'BackOff',
  Succeeded: 'Succeeded',
  /** Its command ended with another code than 0. */
  Exited: 'Exited',
  OutOfMemory: 'OutOfMemory',
  DeadlineExceeded: 'DeadlineExceeded',
  /** The engine refused to start it. */
  StartFailed: 'StartFailed',
  SecretUnavailable: 'SecretUnavailable',
  /** Somebody took its container away. */
  ContainerGone: 'ContainerGone',
  Stopping: 'Stopping',
  Stopped: 'Stopped',
  Deleting: 'Deleting',
  /** Something of its container was changed by hand, and was put right, or stays so until its try ends. */
  Drifted: 'Drifted',
  /** The engine does not change its limits while it runs. */
  LimitsRefused: 'LimitsRefused',
  LimitsInForce: 'LimitsInForce',
} as const;

/** Of events of the node itself. */
export const NodeReason = {
  /** What nothing needed any more was removed. */
  GarbageCollected: 'GarbageCollected',
  /** A disk has less free than its floor. */
  DiskLow: 'DiskLow',
} as const;

export const CertificateReason = {
  /** There is one that is valid. */
  Issued: 'Issued',
  /** There was one; its time is over. */
  Expired: 'Expired',
  /** It has been asked for. */
  Ordering: 'Ordering',
  /** The last order failed; the next comes by itself. */
  OrderFailed: 'OrderFailed',
  /** The authority takes no more orders for a while. */
  RateLimited: 'RateLimited',
  /** Its hostname is not verified yet. */
  DomainNotVerified: 'DomainNotVerified',
  /** The node was not told to ask for certificates. */
  AcmeDisabled: 'AcmeDisabled',
  /** It was renewed in time, or it is not time yet. */
  UpToDate: 'UpToDate',
} as const;

export type Reason<T extends Record<string, string>> = T[keyof T];
