/**
 * Objects are reached through here and nowhere else: what a request names is loaded together with the project that it
 * lies in, the caller's role there decides, and only then a handler sees it.
 */
import type { FastifyRequest } from 'fastify';
import { roles, type Role } from '../../specs/account.ts';
import type { Row } from '../../specs/index.ts';
import { isId } from '../../specs/meta.ts';
import type { Reader } from '../store/store.ts';
import type { Principal } from './principal.ts';

/** What a request is about. */
export interface Scope {
  project: Row<'Project'>;
  service?: Row<'Service'>;
  deployment?: Row<'Deployment'>;
  registry?: Row<'Registry'>;
  knownHost?: Row<'KnownHost'>;
  job?: Row<'Job'>;
  run?: Row<'Run'>;
  domain?: Row<'Domain'>;
  volume?: Row<'Volume'>;
}

/** Whether the caller is a member of a project, by its id. */
export type IsMember = (projectId: string) => boolean;

/** How the object of a route is found. It is asked after the body was validated. */
export interface Locator {
  /** For the message when there is none. */
  noun:
    | ('project' | 'service' | 'deployment' | 'registry' | 'known host')
    | ('domain' | 'volume' | 'job' | 'run');
  /**
   * Undefined when there is none, and for who is no member of its project: `isMember` is asked as soon as the project is
   * known, so that both take the same reads. One read is all that tells them apart.
   */
  find(request: FastifyRequest, reader: Reader, isMember: IsMember): Promise<Scope | undefined>;
}

/** `{id}` in the path: a project's id or name. */
export const projectInPath: Locator = {
  noun: 'project',
  find: async (request, reader) => projectScope(await findProject(reader, pathId(request))),
};

/** `project` in the body: a project's id or name. */
export const projectInBody: Locator = {
  noun: 'project',
  find: async (request, reader) =>
    projectScope(await findProject(reader, (request.body as { project: string }).project)),
};

export const serviceInPath: Locator = {
  noun: 'service',
  find: (request, reader, isMember) => serviceScope(reader, pathId(request), isMember),
};

export const serviceInBody: Locator = {
  noun: 'service',
  find: (request, reader, isMember) =>
    serviceScope(reader, (request.body as { service_id: string }).service_id, isMember),
};

export const deploymentInPath: Locator = {
  noun: 'deployment',
  async find(request, reader, isMember) {
    const deployment = await reader.get('Deployment', pathId(request));
    if (!deployment || !isMember(deployment.spec.project_id)) return undefined;
    const scope = await serviceScope(reader, deployment.spec.service_id, isMember);
    return scope && { ...scope, deployment };
  },
};

export const jobInPath: Locator = {
  noun: 'job',
  find: (request, reader, isMember) => jobScope(reader, pathId(request), isMember),
};

export const runInPath: Locator = {
  noun: 'run',
  async find(request, reader, isMember) {
    const run = await reader.get('Run', pathId(request));
    if (!run || !isMember(run.spec.project_id)) return undefined;
    const scope = await jobScope(reader, run.spec.job_id, isMember);
    return scope && { ...scope, run };
  },
};

/** `{registry_id}` in the path, of the project that `{id}` names. */
export const registryInPath: Locator = {
  noun: 'registry',
  async find(request, reader, isMember) {
    const project = await findProject(reader, pathId(request));
    if (!project || !isMember(project.id)) return undefined;
    const { registry_id } = request.params as { registry_id: string };
    const registry = await reader.get('Registry', registry_id);
    return registry?.owner === project.id ? { project, registry } : undefined;
  },
};

/** `{known_host_id}` in the path, of the project that `{id}` names. */
export const knownHostInPath: Locator = {
  noun: 'known host',
  async find(request, reader, isMember) {
    const project = await findProject(reader, pathId(request));
    if (!project || !isMember(project.id)) return undefined;
    const { known_host_id } = request.params as { known_host_id: string };
    const knownHost = await reader.get('KnownHost', known_host_id);
    return knownHost?.owner === project.id ? { project, knownHost } : undefined;
  },
};

/** `{volume_id}` in the path, of the project that `{id}` names. */
export const volumeInPath: Locator = {
  noun: 'volume',
  async find(request, reader, isMember) {
    const project = await findProject(reader, pathId(request));
    if (!project || !isMember(project.id)) return undefined;
    const { volume_id } = request.params as { volume_id: string };
    const volume = await reader.get('Volume', volume_id);
    return volume?.owner === project.id ? { project, volume } : undefined;
  },
};

/** `{domain_id}` in the path, of the service that `{id}` names. */
export const domainInPath: Locator = {
  noun: 'domain',
  async find(request, reader, isMember) {
    const scope = await serviceScope(reader, pathId(request), isMember);
    if (!scope) return undefined;
    const { domain_id } = request.params as { domain_id: string };
    const domain = await reader.get('Domain', domain_id);
    return domain?.owner === pathId(request) ? { ...scope, domain } : undefined;
  },
};

/**
 * The caller's role in a project; undefined when it is no member. A super-admin needs no membership. A limited token never
 * does more than its limits say, nor more than its owner may at that moment.
 */
export function roleIn(principal: Principal | null, projectId: string): Role | undefined {
  if (principal === null) return undefined;
  const { limits, memberships } = principal;
  if (limits.project !== null && limits.project !== projectId) return undefined;
  const role = principal.ownerIsSuperAdmin ? 'Admin' : memberships.get(projectId);
  return role === undefined || limits.role === null ? role : lesser(role, limits.role);
}

/** Whether `role` may do all that `least` may. */
export function reaches(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

function lesser(a: Role, b: Role): Role {
  return reaches(a, b) ? b : a;
}

/** One read either way: nothing is named like an id, which has an underscore. */
export function findProject(reader: Reader, idOrName: string): Promise<Row<'Project'> | undefined> {
  return isId('project', idOrName) ? reader.get('Project', idOrName) : reader.find('Project', null, idOrName);
}

/** The project that the access check of this route has loaded. */
export function projectOf(request: FastifyRequest): Row<'Project'> {
  return loaded(request.scope?.project);
}

/** The caller's role in that project. */
export function roleOf(request: FastifyRequest): Role | undefined {
  return roleIn(request.principal, projectOf(request).id);
}

/** The service that the access check of this route has loaded. */
export function serviceOf(request: FastifyRequest): Row<'Service'> {
  return loaded(request.scope?.service);
}

/** The deployment that the access check of this route has loaded. */
export function deploymentOf(request: FastifyRequest): Row<'Deployment'> {
  return loaded(request.scope?.deployment);
}

/** The registry that the access check of this route has loaded. */
export function registryOf(request: FastifyRequest): Row<'Registry'> {
  return loaded(request.scope?.registry);
}

/** The known host that the access check of this route has loaded. */
export function knownHostOf(request: FastifyRequest): Row<'KnownHost'> {
  return loaded(request.scope?.knownHost);
}

/** The domain that the access check of this route has loaded. */
export function domainOf(request: FastifyRequest): Row<'Domain'> {
  return loaded(request.scope?.domain);
}

/** The volume that the access check of this route has loaded. */
export function volumeOf(request: FastifyRequest): Row<'Volume'> {
  return loaded(request.scope?.volume);
}

/** The job that the access check of this route has loaded. */
export function jobOf(request: FastifyRequest): Row<'Job'> {
  return loaded(request.scope?.job);
}

/** The run that the access check of this route has loaded. */
export function runOf(request: FastifyRequest): Row<'Run'> {
  return loaded(request.scope?.run);
}

function loaded<T>(object: T | undefined): T {
  if (object === undefined) throw new Error('The access that this route declares does not load this object.');
  return object;
}

function pathId(request: FastifyRequest): string {
  return (request.params as { id: string }).id;
}

function projectScope(project: Row<'Project'> | undefined): Scope | undefined {
  return project && { project };
}

async function serviceScope(reader: Reader, id: string, isMember: IsMember): Promise<Scope | undefined> {
  const service = await reader.get('Service', id);
  if (!service?.owner || !isMember(service.owner)) return undefined;
  const project = await reader.get('Project', service.owner);
  return project && { project, service };
}

async function jobScope(reader: Reader, id: string, isMember: IsMember): Promise<Scope | undefined> {
  const job = await reader.get('Job', id);
  if (!job || !isMember(job.spec.project_id)) return undefined;
  const project = await reader.get('Project', job.spec.project_id);
  return project && { project, job };
}
