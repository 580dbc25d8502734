/** Services: what should run. */
import { Type } from '@sinclair/typebox';
import type { Row } from '../../specs/index.ts';
import { CreateService } from '../../specs/requests.ts';
import { Page, ServiceResource } from '../../specs/resources.ts';
import { findProject, projectInBody, projectOf, roleIn, serviceInPath, serviceOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { createService } from '../desired/create-service.ts';
import { pageQuery, readPage } from '../paging.ts';
import { setETag } from '../versions.ts';
import { serviceView } from '../views/service.ts';

const params = Type.Object({ id: Type.String() });
const querystring = Type.Object(
  {
    ...pageQuery,
    project: Type.Optional(Type.String({ maxLength: 64, description: "the project's name or id" })),
    name: Type.Optional(Type.String({ maxLength: 64 })),
  },
  { additionalProperties: false },
);

export function serviceRoutes(app: App, api: ApiContext): void {
  const { store, settings } = api;

  app.get(
    '/v1/services',
    { config: { access: 'any' }, schema: { querystring, response: { 200: Page(ServiceResource) } } },
    async ({ query, principal }) => {
      const { name } = query;
      const project = query.project === undefined ? undefined : await findProject(store, query.project);
      if (query.project !== undefined && !project) return { items: [], next_cursor: null };
      const filter = { ...(name === undefined ? {} : { name }), ...(project && { owner: project.id }) };
      const { rows, next_cursor } = await readPage(
        (options) => store.list('Service', { ...filter, ...options }),
        query,
        ({ owner }) => owner !== null && roleIn(principal, owner) !== undefined,
      );
      return { items: await servicesView(api, rows), next_cursor };
    },
  );

  app.get(
    '/v1/services/:id',
    {
      config: { access: { role: 'Viewer', of: serviceInPath } },
      schema: { params, response: { 200: ServiceResource } },
    },
    (request, reply) => {
      const service = serviceOf(request);
      setETag(reply, service);
      return serviceView(service, projectOf(request), settings);
    },
  );

  app.post(
    '/v1/services',
    {
      config: { access: { role: 'Operator', of: projectInBody } },
      schema: { body: CreateService, response: { 201: ServiceResource } },
    },
    async (request, reply) => {
      const project = projectOf(request);
      const service = await createService(api, project, request.body);
      setETag(reply, service);
      return reply.code(201).send(serviceView(service, project, settings));
    },
  );
}

/** Reads each project once. A service whose project is just going away is left out. */
async function servicesView(
  { store, settings }: ApiContext,
  services: Row<'Service'>[],
): Promise<ServiceResource[]> {
  const ids = new Set(services.flatMap(({ owner }) => owner ?? []));
  const projects = new Map<string | null, Row<'Project'>>();
  for (const id of ids) {
    const project = await store.get('Project', id);
    if (project) projects.set(id, project);
  }
  return services.flatMap((service) => {
    const project = projects.get(service.owner);
    return project ? [serviceView(service, project, settings)] : [];
  });
}
