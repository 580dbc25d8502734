/** Audit: who wrote or tried to write what, when, from where, and what came of it. Never what the values were. */
import { Type, type Static } from '@sinclair/typebox';

const nullable = Type.Union([Type.String(), Type.Null()]);

export const AuditEntry = Type.Object({
  id: Type.String(),
  at: Type.String({ format: 'date-time' }),
  /** Kind of the token: bootstrap, session, api; null when none was valid. */
  token_kind: nullable,
  token_id: nullable,
  user_id: nullable,
  username: nullable,
  address: Type.String({ description: 'where the request came from' }),
  method: Type.String(),
  route: Type.String({ description: 'as in the OpenAPI document; the path where there is no such route' }),
  project_id: nullable,
  object: Type.Union([Type.String(), Type.Null()], { description: 'id of what it was about' }),
  object_name: Type.Union([Type.String(), Type.Null()], {
    description: 'what that was called then: shop/web; null for what was not found',
  }),
  fields: Type.Array(Type.String(), { description: 'names of the fields in the body' }),
  status: Type.Integer({ description: 'of the answer' }),
  code: Type.Union([Type.String(), Type.Null()], { description: 'of the problem; null when it was done' }),
  detail: Type.Union([Type.String(), Type.Null()], {
    description: 'of a console: where it was opened and with which command, or how it ended',
  }),
  request_id: Type.String(),
  count: Type.Integer({ description: 'how many refusals alike this entry stands for' }),
});
export type AuditEntry = Static<typeof AuditEntry>;
