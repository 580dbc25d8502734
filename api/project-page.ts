/** The lists of what projects own, over all of a caller's projects. */
import { Type, type Static } from '@sinclair/typebox';
import type { Row } from '../specs/index.ts';
import type { Principal } from './auth/principal.ts';
import { findProject, roleIn } from './auth/scope.ts';
import { pageQuery, readPage } from './paging.ts';
import type { Reader } from './store/store.ts';

/** Their query. */
export const projectQuery = Type.Object(
  {
    ...pageQuery,
    project: Type.Optional(Type.String({ maxLength: 64, description: "the project's name or id" })),
    name: Type.Optional(Type.String({ maxLength: 64 })),
  },
  { additionalProperties: false },
);

/** One page of those rows that the caller may see. */
export async function readProjectPage<K extends 'Service' | 'Job'>(
  store: Reader,
  kind: K,
  query: Static<typeof projectQuery>,
  principal: Principal | null,
): Promise<{ rows: Row<K>[]; next_cursor: string | null }> {
  const { name } = query;
  const project = query.project === undefined ? undefined : await findProject(store, query.project);
  // One of a project that the caller is no member of is like one that is not there, in time as well.
  if (query.project !== undefined && !(project && roleIn(principal, project.id)))
    return { rows: [], next_cursor: null };
  const filter = { ...(name === undefined ? {} : { name }), ...(project && { owner: project.id }) };
  return readPage(
    (options) => store.list(kind, { ...filter, ...options }),
    query,
    ({ owner }) => owner !== null && roleIn(principal, owner) !== undefined,
  );
}
