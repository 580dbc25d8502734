/** The audit, for super-admins. */
import { Type, type Static } from '@sinclair/typebox';
import { AuditEntry } from '../../specs/audit.ts';
import { isId, timestamp } from '../../specs/meta.ts';
import { Page } from '../../specs/resources.ts';
import { findProject } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { pageQuery, readPage } from '../paging.ts';
import type { AuditFilter } from '../store/audit.ts';

const AuditQuery = Type.Object(
  {
    ...pageQuery,
    user: Type.Optional(
      Type.String({ maxLength: 64, description: 'username or id; also of a user who is gone' }),
    ),
    project: Type.Optional(
      Type.String({ maxLength: 64, description: 'name or id; the id also of one that is gone' }),
    ),
    since: Type.Optional(Type.String({ format: 'date-time', description: 'from this time on' })),
    until: Type.Optional(Type.String({ format: 'date-time', description: 'before this time' })),
    result: Type.Optional(Type.Union([Type.Literal('done'), Type.Literal('refused')])),
  },
  { additionalProperties: false },
);
type AuditQuery = Static<typeof AuditQuery>;

export function auditRoutes(app: App, api: ApiContext): void {
  app.get(
    '/v1/audit',
    {
      config: { access: 'super-admin' },
      schema: {
        operationId: 'listAuditEntries',
        querystring: AuditQuery,
        response: { 200: Page(AuditEntry) },
      },
    },
    async ({ query }) => {
      const filter = await filterOf(api, query);
      if (!filter) return { items: [], next_cursor: null };
      const { rows, next_cursor } = await readPage((page) => api.audit.list({ ...filter, ...page }), query);
      return { items: rows, next_cursor };
    },
  );
}

/** @returns undefined when nothing can match */
async function filterOf(
  { store, accounts }: ApiContext,
  query: AuditQuery,
): Promise<AuditFilter | undefined> {
  const { user, project, since, until, result } = query;
  const user_id = user === undefined || isId('user', user) ? user : (await accounts.findUser(user))?.id;
  // What a user who is gone did is still under their name.
  const username = user_id === undefined ? user : undefined;
  const project_id =
    project === undefined || isId('project', project) ? project : (await findProject(store, project))?.id;
  if (project !== undefined && project_id === undefined) return undefined;
  const utc = (time: string | undefined) => (time === undefined ? undefined : timestamp(Date.parse(time)));
  const filter = { user_id, username, project_id, since: utc(since), until: utc(until), result };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}
