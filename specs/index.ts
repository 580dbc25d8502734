/** The registry of stored kinds: the one list to extend for a new resource. */
import type { DeployKeySpec, DeployKeyStatus } from './deploy-key.ts';
import type { DeploymentSpec, DeploymentStatus } from './deployment.ts';
import type { ProjectSpec, ProjectStatus } from './project.ts';
import type { RegistrySpec, RegistryStatus } from './registry.ts';
import type { ReplicaSpec, ReplicaStatus } from './replica.ts';
import type { ServiceSpec, ServiceStatus } from './service.ts';
import type { UploadSpec, UploadStatus } from './upload.ts';

/** Kind → the types of its desired and its observed state. */
export interface Kinds {
  Project: { spec: ProjectSpec; status: ProjectStatus };
  Service: { spec: ServiceSpec; status: ServiceStatus };
  Deployment: { spec: DeploymentSpec; status: DeploymentStatus };
  Replica: { spec: ReplicaSpec; status: ReplicaStatus };
  Upload: { spec: UploadSpec; status: UploadStatus };
  Registry: { spec: RegistrySpec; status: RegistryStatus };
  DeployKey: { spec: DeployKeySpec; status: DeployKeyStatus };
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
] as const satisfies readonly Kind[];

/** A stored resource. Times are RFC 3339. */
export interface Row<K extends Kind> {
  kind: K;
  id: string;
  /** Unique among the living rows of its owner. */
  name: string;
  /** Id of the row that it belongs to; null for a project. Service → project, Registry and DeployKey → project, Deployment and
   * Upload → service, Replica → deployment. */
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
