/** One route as an operation of the OpenAPI document. */
import type { TSchema } from '@sinclair/typebox';
import { problems } from '../../specs/problem.ts';
import type { Access } from '../auth/access.ts';
import { schemaJson } from './components.ts';
import { problemsOf, type Route } from './route.ts';

type Json = Record<string, unknown>;

export function operationOf(route: Route): Json {
  const { schema, access } = route;
  const operationId = schema.operationId ?? mechanicalName(route);
  const body = requestBody(route);
  return {
    operationId,
    summary: words(operationId),
    description: [schema.description, accessWords(access)].filter((text) => text !== undefined).join(' '),
    tags: [tagOf(route)],
    parameters: [...pathAndQuery(route), ...headerParameters(route)],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responsesOf(route),
    ...(access === 'public' ? { security: [] } : access === 'ticket' ? { security: [{ ticket: [] }] } : {}),
    'x-svc-access': typeof access === 'string' ? access : { role: access.role, of: access.of.noun },
  };
}

/** First word of the path, below the version. */
export function tagOf({ path }: Route): string {
  const [first = '', second] = path.slice(1).split('/');
  return first === 'v1' ? (second ?? first) : 'node';
}

/** For a route that declares no name. */
function mechanicalName({ method, path }: Route): string {
  const parts = path.match(/\w+/g) ?? [];
  return [method.toLowerCase(), ...parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1))].join(
    '',
  );
}

/** `listApiTokens` → `List api tokens`. */
function words(name: string): string {
  const text = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function accessWords(access: Access): string {
  switch (access) {
    case 'public':
      return 'No token is needed.';
    case 'any':
      return 'Any valid token.';
    case 'user':
      return 'The token of a user, not limited to a project or a role.';
    case 'holder':
      return 'The token of a user.';
    case 'session':
      return 'A session token.';
    case 'bootstrap':
      return 'The bootstrap token.';
    case 'super-admin':
      return 'Minimum role: super-admin.';
    case 'ticket':
      return 'No token but a single-use ticket, in the query.';
    default:
      return `Minimum role: ${access.role} in the project.`;
  }
}

function pathAndQuery({ parameters, schema }: Route): Json[] {
  const path = (schema.params ?? {}) as Partial<TSchema>;
  const query = (schema.querystring ?? {}) as Partial<TSchema>;
  const properties = (of: Partial<TSchema>) => (of['properties'] ?? {}) as Record<string, TSchema>;
  const required = new Set((query['required'] ?? []) as string[]);
  return [
    ...parameters.map((name) => parameter(name, 'path', properties(path)[name] ?? { type: 'string' }, true)),
    // What has a default is always there once it is read, and never has to be sent.
    ...Object.entries(properties(query)).map(([name, of]) =>
      parameter(name, 'query', of, required.has(name) && !('default' in of)),
    ),
  ];
}

function parameter(name: string, place: 'path' | 'query', schema: object, required: boolean): Json {
  const { description, ...rest } = schemaJson(schema) as Json;
  return { name, in: place, required, ...(description === undefined ? {} : { description }), schema: rest };
}

function headerParameters(route: Route): Json[] {
  const names = ['XRequestId'];
  if (route.takesIfMatch) names.push('IfMatch');
  if (route.takesIdempotencyKey) names.push('IdempotencyKey');
  if (successes(route).some(([, of]) => contentOf(of)?.['text/event-stream'])) names.push('LastEventId');
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function requestBody({ schema }: Route): Json | undefined {
  if (schema.consumes !== undefined) {
    // A stream of bytes has no schema (OpenAPI 3.1, section 4.8.14.3).
    return { required: true, content: Object.fromEntries(schema.consumes.map((type) => [type, {}])) };
  }
  if (schema.body === undefined) return undefined;
  const content = { 'application/json': { schema: schemaJson(schema.body) } };
  return { required: isRequired(schema.body as BodySchema), content };
}

interface BodySchema {
  required?: string[];
  anyOf?: BodySchema[];
}

/** A union is, when every branch of it is. */
function isRequired({ required = [], anyOf = [] }: BodySchema): boolean {
  return required.length > 0 || (anyOf.length > 0 && anyOf.every(isRequired));
}

interface DeclaredAnswer {
  type?: string;
  description?: string;
  content?: Record<string, { schema: unknown }>;
  properties?: Record<string, unknown>;
}

function successes({ schema }: Route): [status: string, answer: DeclaredAnswer][] {
  return Object.entries((schema.response ?? {}) as Record<string, DeclaredAnswer>);
}

function responsesOf(route: Route): Json {
  const done = successes(route).map(([status, answer]) => [status, successResponse(route, status, answer)]);
  const refused = problemsOf(route).map((code) => [
    String(problems[code].status),
    { $ref: `#/components/responses/${code}` },
  ]);
  return Object.fromEntries([...done, ...refused]) as Json;
}

function successResponse(route: Route, status: string, answer: DeclaredAnswer): Json {
  const headers = ['XRequestId'];
  if (answer.properties?.['updated_at'] !== undefined && !route.isUnversioned) headers.push('ETag');
  if (route.takesIdempotencyKey) headers.push('IdempotentReplayed');
  const content = contentOf(answer);
  return {
    description: answer.content ? (answer.description ?? 'Done.') : (meanings[status] ?? 'Done.'),
    headers: Object.fromEntries(headers.map((name) => [headerNames[name] ?? name, header(name)])),
    ...(content === undefined ? {} : { content }),
  };
}

export function header(name: string): Json {
  return { $ref: `#/components/headers/${name}` };
}

/** Component → header, where the name of the header cannot be the component's. */
const headerNames: Readonly<Record<string, string>> = {
  XRequestId: 'X-Request-Id',
  IdempotentReplayed: 'Idempotent-Replayed',
};

const meanings: Readonly<Record<string, string>> = {
  101: 'The connection is a WebSocket from here on.',
  200: 'The answer.',
  201: 'Created.',
  202: 'Written; a controller carries it out.',
  204: 'Done; there is nothing to answer.',
};

/** Undefined for an answer without a body. */
function contentOf(answer: DeclaredAnswer): Json | undefined {
  if (answer.content) {
    return Object.fromEntries(
      Object.entries(answer.content).map(([type, { schema }]) => [type, { schema: schemaJson(schema) }]),
    );
  }
  return answer.type === 'null' ? undefined : { 'application/json': { schema: schemaJson(answer) } };
}
