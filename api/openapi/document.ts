/** The OpenAPI 3.1 document, made of the routes as they are declared: what validates a request is what describes it. */
import { problems, type ProblemCode } from '../../specs/problem.ts';
import { Problem } from '../../specs/problem.ts';
import { namedSchemasJson, schemaJson } from './components.ts';
import { header, operationOf, tagOf } from './operation.ts';
import type { Route } from './route.ts';

type Json = Record<string, unknown>;

/** @param version of this program */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  return {
    openapi: '3.1.1',
    info: {
      title: 'svc',
      version,
      description:
        'Deploys services on one node. Errors are RFC 9457 problems with a stable `code`. Lists are newest first; ' +
        '`next_cursor` of a page is the `cursor` of the next. Unknown fields of a body are refused.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [...new Set(routes.map(tagOf))].sort().map((name) => ({ name })),
    paths,
    components: {
      schemas: namedSchemasJson(),
      parameters,
      headers,
      responses: Object.fromEntries(
        (Object.keys(problems) as ProblemCode[]).map((code) => [code, problemResponse(code)]),
      ),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A session token, an API token, or the bootstrap token of the node.',
        },
        ticket: {
          ...{ type: 'apiKey', in: 'query', name: 'ticket' },
          description: 'A single-use ticket of the console, valid for 30 seconds.',
        },
      },
    },
  };
}

const parameters: Json = {
  XRequestId: {
    ...{ name: 'X-Request-Id', in: 'header', required: false },
    description: 'Taken over as the id of the request when it has this form; else one is made.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  IfMatch: {
    ...{ name: 'If-Match', in: 'header', required: false },
    description:
      'ETag of the version that the write is meant for, a list of them, or `*`. Another version: 412.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    ...{ name: 'Idempotency-Key', in: 'header', required: false },
    description:
      'Sent again with the same body within a day, the same key answers the first result. With another body: 422.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  },
  LastEventId: {
    ...{ name: 'Last-Event-ID', in: 'header', required: false },
    description: 'The `id` of the last event that came; the stream goes on after it.',
    schema: { type: 'string', pattern: '^[0-9]{1,15}$' },
  },
};

const headers: Json = {
  XRequestId: {
    required: true,
    description: "The request's id, which its log lines have too.",
    schema: { type: 'string' },
  },
  ETag: {
    required: true,
    description: 'The version of the resource, for `If-Match`.',
    schema: { type: 'string', pattern: '^"[0-9]{1,15}"$' },
  },
  IdempotentReplayed: {
    required: false,
    description: 'Set on an answer that was given before.',
    schema: { type: 'string', const: 'true' },
  },
  RetryAfter: {
    required: false,
    description: 'Seconds after which trying again makes sense.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  WWWAuthenticate: { required: true, schema: { type: 'string', const: 'Bearer' } },
};

const withRetryAfter: ReadonlySet<ProblemCode> = new Set(['conflict', 'rate_limited', 'unavailable']);

function problemResponse(code: ProblemCode): Json {
  return {
    description: `${problems[code].title}. The \`code\` is \`${code}\`.`,
    headers: {
      'X-Request-Id': header('XRequestId'),
      ...(withRetryAfter.has(code) ? { 'Retry-After': header('RetryAfter') } : {}),
      ...(code === 'unauthenticated' ? { 'WWW-Authenticate': header('WWWAuthenticate') } : {}),
    },
    content: { 'application/problem+json': { schema: schemaJson(Problem) } },
  };
}
