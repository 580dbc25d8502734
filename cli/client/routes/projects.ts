/** Projects and what belongs to one as a whole: members, registries, the deploy key. A project is named by name or id. */
import type { Member, Role } from '../../../specs/account.ts';
import type { CreateDeployKey, CreateProject, CreateRegistry } from '../../../specs/requests.ts';
import type {
  DeployKeyResource,
  KnownHostResource,
  ProjectResource,
  RegistryResource,
  VolumeResource,
} from '../../../specs/resources.ts';
import type { Transport } from '../http.ts';
import { items } from '../pages.ts';
import { path } from '../path.ts';

export function projectRoutes(http: Transport) {
  return {
    projects: () => items<ProjectResource>(http, '/v1/projects'),
    project: (project: string, signal?: AbortSignal) =>
      http.json<ProjectResource>('GET', path`/v1/projects/${project}`, { signal }),
    createProject: (json: CreateProject) => http.json<ProjectResource>('POST', '/v1/projects', { json }),
    /** Ends only once a controller has taken everything away. */
    deleteProject: (project: string, cascade: boolean) =>
      http.json<unknown>('DELETE', path`/v1/projects/${project}`, {
        query: { cascade: cascade ? 'true' : undefined },
      }),

    members: (project: string) => items<Member>(http, path`/v1/projects/${project}/members`),
    setMember: (project: string, username: string, role: Role) =>
      http.json<Member>('PUT', path`/v1/projects/${project}/members/${username}`, { json: { role } }),
    removeMember: (project: string, username: string) =>
      http.json<undefined>('DELETE', path`/v1/projects/${project}/members/${username}`),

    registries: (project: string) => items<RegistryResource>(http, path`/v1/projects/${project}/registries`),
    addRegistry: (project: string, json: CreateRegistry) =>
      http.json<RegistryResource>('POST', path`/v1/projects/${project}/registries`, { json }),
    removeRegistry: (project: string, id: string) =>
      http.json<undefined>('DELETE', path`/v1/projects/${project}/registries/${id}`),

    knownHosts: (project: string) =>
      items<KnownHostResource>(http, path`/v1/projects/${project}/known-hosts`),
    removeKnownHost: (project: string, id: string) =>
      http.json<undefined>('DELETE', path`/v1/projects/${project}/known-hosts/${id}`),

    volumes: (project: string) => items<VolumeResource>(http, path`/v1/projects/${project}/volumes`),
    /** Its controller takes it away. @param confirm its name */
    destroyVolume: (project: string, id: string, confirm: string) =>
      http.json<VolumeResource>('DELETE', path`/v1/projects/${project}/volumes/${id}`, {
        query: { confirm },
      }),

    deployKey: (project: string) =>
      http.json<DeployKeyResource>('GET', path`/v1/projects/${project}/deploy-key`),
    setDeployKey: (project: string, json: CreateDeployKey) =>
      http.json<DeployKeyResource>('POST', path`/v1/projects/${project}/deploy-key`, { json }),
    /** Made on the node, so that the private half never travels. */
    generateDeployKey: (project: string) =>
      http.json<DeployKeyResource>('POST', path`/v1/projects/${project}/deploy-key/generate`, { json: {} }),
    deleteDeployKey: (project: string) =>
      http.json<undefined>('DELETE', path`/v1/projects/${project}/deploy-key`),
  };
}
