/** What the OpenAPI document knows of a route: what is declared beside it, and the rules by which the rest follows from that. */
import type { FastifySchema, RouteOptions } from 'fastify';
import type { ProblemCode } from '../../specs/problem.ts';
import type { Access } from '../auth/access.ts';
import { takesIdempotencyKey } from '../plugins/idempotency.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** Name of the operation for generated clients, in camelCase. A change breaks them. */
    operationId?: string;
    /** What it does that its name does not say. */
    description?: string;
    /** Media types of a body that is streamed; without them it is JSON. */
    consumes?: readonly string[];
    /** Problems that it answers beyond those that follow from what it is. */
    problems?: readonly ProblemCode[];
  }
}

export interface Route {
  method: string;
  /** As in the document: `/v1/services/{id}`. */
  path: string;
  /** Names in the path. */
  parameters: string[];
  schema: FastifySchema;
  access: Access;
  isWrite: boolean;
  takesIfMatch: boolean;
  isUnversioned: boolean;
  takesIdempotencyKey: boolean;
}

/** @returns undefined for what is in no document: HEAD is GET without a body */
export function describeRoute(options: RouteOptions): Route | undefined {
  const { url, schema = {}, config } = options;
  const method = String(options.method);
  if (method === 'HEAD' || config?.access === undefined) return undefined;
  const isWrite = method !== 'GET';
  const parameters = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return {
    ...{ method, parameters, schema, access: config.access },
    path: documentedPath(url),
    isWrite,
    takesIfMatch: takesIfMatch(options),
    isUnversioned: isWrite && config.unversioned === true,
    takesIdempotencyKey: takesIdempotencyKey(options),
  };
}

/** `/v1/services/:id` as in the document: `/v1/services/{id}`. */
export function documentedPath(url: string): string {
  return url.replaceAll(/:(\w+)/g, '{$1}');
}

/** Every write of a row that is there already: it is named in the path, and changed, deleted, or acted on by a controller. */
export function takesIfMatch({ method, url, config, schema }: RouteFacts): boolean {
  if (config?.unversioned === true || !url.includes(':')) return false;
  const answers = (schema?.response ?? {}) as Record<string, unknown>;
  // One that answers 200 beside 201 replaces what is there.
  if (method === 'POST') return '202' in answers || ('200' in answers && '201' in answers);
  return method === 'PUT' || method === 'PATCH' || method === 'DELETE';
}

type RouteFacts = Pick<RouteOptions, 'method' | 'url' | 'config' | 'schema'>;

/** Every problem that the route can answer. */
export function problemsOf(route: Route): ProblemCode[] {
  const { access, isWrite, parameters, schema } = route;
  const codes = new Set<ProblemCode>(['bad_request', 'unavailable', ...(schema.problems ?? [])]);
  if (access !== 'public') codes.add('unauthenticated');
  if (access !== 'public' && access !== 'any') codes.add('forbidden');
  if (parameters.length > 0 || typeof access === 'object') codes.add('not_found');
  if (route.takesIfMatch || route.isUnversioned) codes.add('precondition_failed');
  if (schema.querystring !== undefined || isWrite) codes.add('invalid');
  if (isWrite)
    for (const code of ['conflict', 'too_large', 'unsupported_media_type'] as const) codes.add(code);
  return [...codes];
}
