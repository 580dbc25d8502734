/**
 * Objects are reached through here and nowhere else: what a request names is loaded together with the project that it
 * lies in, the caller's role there decides, and only then a handler sees it.
 */
import type { FastifyRequest } from 'fastify';
import type { Role } from '../../specs/account.ts';
import type { Row } from '../../specs/index.ts';
import { isId } from '../../specs/meta.ts';
import type { Reader } from '../store/store.ts';
import type { Principal } from './principal.ts';

/** What a request is about. */
export interface Scope {
  project: Row<'Project'>;
  service?: Row<'Service'>;
  deployment?: Row<'Deployment'>;
}

/** How the object of a route is found. It is asked after the body was validated. */
export interface Locator {
  /** For the message when there is none. */
  noun: 'project' | 'service' | 'deployment';
  find(request: FastifyRequest, reader: Reader): Promise<Scope | undefined>;
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
  find: (request, reader) => serviceScope(reader, pathId(request)),
};

export const serviceInBody: Locator = {
  noun: 'service',
  find: (request, reader) => serviceScope(reader, (request.body as { service_id: string }).service_id),
};

export const deploymentInPath: Locator = {
  noun: 'deployment',
  async find(request, reader) {
    const deployment = await reader.get('Deployment', pathId(request));
    const scope = deployment && (await serviceScope(reader, deployment.spec.service_id));
    return scope && { ...scope, deployment };
  },
};

/** The caller's role in a project; undefined when it is no member. A super-admin needs no membership. */
export function roleIn(principal: Principal | null, projectId: string): Role | undefined {
  return principal?.superAdmin === true ? 'Admin' : principal?.memberships.get(projectId);
}

export async function findProject(reader: Reader, idOrName: string): Promise<Row<'Project'> | undefined> {
  const byId = isId('project', idOrName) ? await reader.get('Project', idOrName) : undefined;
  return byId ?? reader.find('Project', null, idOrName);
}

/** The project that the access check of this route has loaded. */
export function projectOf(request: FastifyRequest): Row<'Project'> {
  return loaded(request.scope?.project);
}

/** The service that the access check of this route has loaded. */
export function serviceOf(request: FastifyRequest): Row<'Service'> {
  return loaded(request.scope?.service);
}

/** The deployment that the access check of this route has loaded. */
export function deploymentOf(request: FastifyRequest): Row<'Deployment'> {
  return loaded(request.scope?.deployment);
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

async function serviceScope(reader: Reader, id: string): Promise<Scope | undefined> {
  const service = await reader.get('Service', id);
  if (!service?.owner) return undefined;
  const project = await reader.get('Project', service.owner);
  return project && { project, service };
}
