/** Events: what controllers did about the objects of a project, and why. */
import { Type } from '@sinclair/typebox';
import { Event } from '../../specs/event.ts';
import { isId } from '../../specs/meta.ts';
import { Page } from '../../specs/resources.ts';
import { findProject, roleIn } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { pageQuery, readPage } from '../paging.ts';
import type { EventFilter } from '../store/events.ts';

const name = Type.Optional(Type.String({ minLength: 1, maxLength: 64 }));
const querystring = Type.Object(
  {
    ...pageQuery,
    kind: Type.Optional(Type.String({ maxLength: 64, description: 'Service, Deployment, Replica, …' })),
    id: Type.Optional(Type.String({ maxLength: 64, description: 'of the object' })),
    service_id: Type.Optional(
      Type.String({ maxLength: 64, description: 'of it and of all that belongs to it' }),
    ),
    project: name,
  },
  { additionalProperties: false },
);

export function eventRoutes(app: App, { store, events, masks }: ApiContext): void {
  app.get(
    '/v1/events',
    {
      config: { access: 'any' },
      schema: { operationId: 'listEvents', querystring, response: { 200: Page(Event) } },
    },
    async ({ query, principal }) => {
      const { kind, id: object, service_id, project } = query;
      const project_id =
        project === undefined || isId('project', project) ? project : (await findProject(store, project))?.id;
      // Of a project that the caller is no member of there is as much to see as of one that is not there.
      if (project !== undefined && (project_id === undefined || roleIn(principal, project_id) === undefined))
        return { items: [], next_cursor: null };
      const given = Object.entries({ kind, object, service_id, project_id });
      const filter: EventFilter = Object.fromEntries(given.filter(([, value]) => value !== undefined));
      const { rows, next_cursor } = await readPage(
        (page) => events.list({ ...filter, ...page }),
        query,
        (event) => roleIn(principal, event.project_id) !== undefined,
      );
      // What has become secret since is hidden here.
      const items = rows.map((event) => ({ ...event, message: masks.text(event.project_id, event.message) }));
      return { items, next_cursor };
    },
  );
}
