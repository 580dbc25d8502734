/** The registry of stored kinds: the one list to extend for a new resource. */
import type {
  CertificateSpec,
  CertificateStatus,
  ChallengeSpec,
  ChallengeStatus,
  OrderSpec,
  OrderStatus,
} from './certificate.ts';
import type { DeployKeySpec, DeployKeyStatus } from './deploy-key.ts';
import type { DeploymentSpec, DeploymentStatus } from './deployment.ts';
import type { DomainSpec, DomainStatus } from './domain.ts';
import type { JobSpec, JobStatus, RunSpec, RunStatus } from './job.ts';
import type { KnownHostSpec, KnownHostStatus } from './known-host.ts';
import type { ProjectSpec, ProjectStatus } from './project.ts';
import type { RegistrySpec, RegistryStatus } from './registry.ts';
import type { ReplicaSpec, ReplicaStatus } from './replica.ts';
import type { ServiceSpec, ServiceStatus } from './service.ts';
import type { UploadSpec, UploadStatus } from './upload.ts';
import type { VolumeSpec, VolumeStatus } from './volume.ts';

/** Kind → the types of its desired and its observed state. */
export interface Kinds {
  Project: { spec: ProjectSpec; status: ProjectStatus };
  Service: { spec: ServiceSpec; status: ServiceStatus };
  Deployment: { spec: DeploymentSpec; status: DeploymentStatus };
  Replica: { spec: ReplicaSpec; status: ReplicaStatus };
  Upload: { spec: UploadSpec; status: UploadStatus };
  Registry: { spec: RegistrySpec; status: RegistryStatus };
  DeployKey: { spec: DeployKeySpec; status: DeployKeyStatus };
  KnownHost: { spec: KnownHostSpec; status: KnownHostStatus };
  Domain: { spec: DomainSpec; status: DomainStatus };
  Certificate: { spec: CertificateSpec; status: CertificateStatus };
  Order: { spec: OrderSpec; status: OrderStatus };
  Challenge: { spec: ChallengeSpec; status: ChallengeStatus };
  Volume: { spec: VolumeSpec; status: VolumeStatus };
  Job: { spec: JobSpec; status: JobStatus };
  Run: { spec: RunSpec; status: RunStatus };
}

export type Kind = keyof Kinds;

export const kinds = [
  'Project',
  'Service',
  'Deployment',
  'Replica',
  'Upload',
  'Registry',
  'DeployKey',
  'KnownHost',
  'Domain',
  'Certificate',
  'Order',
  'Challenge',
  'Volume',
  'Job',
  'Run',
] as const satisfies readonly Kind[];

/** A stored resource. Times are RFC 3339. */
export interface Row<K extends Kind> {
  kind: K;
  id: string;
  /** Unique among the living rows of its owner. */
  name: string;
  /** Id of the row that it belongs to; null for a project. Service, Registry, DeployKey, KnownHost, Volume and Job → project;
   * Deployment, Upload and Domain → service; Replica → deployment; Certificate → domain; Order → certificate; Challenge → order;
   * Run → job. */
  owner: string | null;
  /** Raised by one whenever `spec` changes, or deletion is asked for. */
  generation: number;
  /** The generation that the controller's last verdict is about. */
  observed_generation: number;
  /** Raised by one at every write of either half; the ETag. */
  version: number;
  created_at: string;
  updated_at: string;
  /** Set when deletion was asked for; the row goes once its controller has cleaned up. */
  deleted_at: string | null;
  spec: Kinds[K]['spec'];
  status: Kinds[K]['status'];
}
