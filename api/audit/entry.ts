/** One audit entry: what is kept of a write, or of one that was refused. */
import type { FastifyRequest } from 'fastify';
import type { AuditEntry } from '../../specs/audit.ts';
import { clientAddress } from '../client-address.ts';
import { documentedPath } from '../openapi/route.ts';
import { fieldNames } from './field-names.ts';
import { objectName, type Answered } from './object-name.ts';

/** What an id or a name may look like. Anything else in a path is not kept. */
const nameLike = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const tokenLike = /svc_[a-z]+_[\w.-]+/g;
const maxPath = 200;

export interface Answer {
  status: number;
  /** As it is about to leave. */
  payload: unknown;
  /** What else there is to say of it; it holds no secret. */
  detail?: string;
}

export function auditEntry(
  request: FastifyRequest,
  answer: Answer,
  identity: { id: string; at: string },
): AuditEntry {
  const { scope, routeOptions } = request;
  const { status, detail = null } = answer;
  const answered = answeredIds(answer);
  return {
    ...identity,
    ...whoAsks(request),
    address: clientAddress(request),
    method: request.method,
    route: request.is404 ? pathOf(request) : documentedPath(routeOptions.url ?? ''),
    project_id: scope?.project.id ?? answered.project ?? null,
    object: answered.object ?? objectInPath(request) ?? objectInScope(request),
    object_name: objectName(request, answered.fields ?? {}),
    fields: fieldNames(request.body, routeOptions.schema?.body),
    status,
    code: status < 400 ? null : request.problemCode,
    detail,
    request_id: request.id,
    count: 1,
  };
}

function whoAsks({ principal, auditedUser }: FastifyRequest) {
  const user = principal?.user ?? auditedUser;
  return {
    token_kind: principal?.kind ?? null,
    token_id: principal?.tokenId ?? null,
    user_id: user?.id ?? null,
    username: user?.username ?? null,
  };
}

/** Where there is no such route. Without the query, and without what looks like a token of this node. */
function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1).join().slice(0, maxPath).replaceAll(tokenLike, '***');
}

/** What a write was carried out on is in its answer. */
function answeredIds({ status, payload }: Answer): { object?: string; project?: string; fields?: Answered } {
  if (status >= 300 || typeof payload !== 'string' || !payload.startsWith('{')) return {};
  const fields = JSON.parse(payload) as Record<string, unknown>;
  const { id, upload_id, user_id, project_id } = fields;
  const object = [id, upload_id, user_id].find((value) => typeof value === 'string');
  const project =
    typeof project_id === 'string' ? project_id : object?.startsWith('prj_') ? object : undefined;
  if (object === undefined) return project === undefined ? {} : { project };
  return { object, fields, ...(project === undefined ? {} : { project }) };
}

/** The last parameter is the innermost object. */
function objectInPath({ params }: FastifyRequest): string | undefined {
  const last = Object.values((params ?? {}) as Record<string, string>).at(-1);
  return last !== undefined && nameLike.test(last) ? last.replaceAll(tokenLike, '***') : undefined;
}

function objectInScope({ scope }: FastifyRequest): string | null {
  return (scope?.deployment ?? scope?.service ?? scope?.project)?.id ?? null;
}
