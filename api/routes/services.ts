/** Services: what should run. */
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Row } from '../../specs/index.ts';
import { CreateService, UpdateService } from '../../specs/requests.ts';
import { Page, ServiceResource } from '../../specs/resources.ts';
import type { Principal } from '../auth/principal.ts';
import { projectInBody, projectOf, roleIn, roleOf, serviceInPath, serviceOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { createService } from '../desired/create-service.ts';
import { deleteService } from '../desired/delete.ts';
import { updateService } from '../desired/update-service.ts';
import { projectQuery, readProjectPage } from '../project-page.ts';
import { ifMatch, setETag } from '../versions.ts';
import { readServiceView } from '../views/service.ts';

const params = Type.Object({ id: Type.String() });
const viewer = { access: { role: 'Viewer', of: serviceInPath } } as const;
const operator = { access: { role: 'Operator', of: serviceInPath } } as const;

export function serviceRoutes(app: App, api: ApiContext): void {
  const { store, settings } = api;
  const view: View = (request, row) =>
    readServiceView(store, row, projectOf(request), { settings, role: roleOf(request) });
  readRoutes(app, api, view);
  writeRoutes(app, api, view);
}

type View = (request: FastifyRequest, row: Row<'Service'>) => Promise<ServiceResource>;

function readRoutes(app: App, api: ApiContext, view: View): void {
  const { store } = api;

  app.get(
    '/v1/services',
    {
      config: { access: 'any' },
      schema: {
        operationId: 'listServices',
        querystring: projectQuery,
        response: { 200: Page(ServiceResource) },
      },
    },
    async ({ query, principal }) => {
      const { rows, next_cursor } = await readProjectPage(store, 'Service', query, principal);
      return { items: await servicesView(api, rows, principal), next_cursor };
    },
  );

  app.get(
    '/v1/services/:id',
    { config: viewer, schema: { operationId: 'getService', params, response: { 200: ServiceResource } } },
    (request, reply) => {
      const service = serviceOf(request);
      setETag(reply, service);
      return view(request, service);
    },
  );
}

function writeRoutes(app: App, api: ApiContext, view: View): void {
  const { store, settings } = api;

  app.post(
    '/v1/services',
    {
      config: { access: { role: 'Operator', of: projectInBody } },
      schema: { operationId: 'createService', body: CreateService, response: { 201: ServiceResource } },
    },
    async (request, reply) => {
      const service = await createService(api, projectOf(request), request.body);
      setETag(reply, service);
      return reply.code(201).send(await view(request, service));
    },
  );

  app.patch(
    '/v1/services/:id',
    {
      config: operator,
      schema: {
        operationId: 'updateService',
        params,
        body: UpdateService,
        response: { 202: ServiceResource },
      },
    },
    async (request, reply) => {
      const service = await updateService(
        store,
        serviceOf(request).id,
        request.body,
        ifMatch(request, serviceOf(request)),
        settings.hostPaths,
      );
      setETag(reply, service);
      return reply.code(202).send(await view(request, service));
    },
  );

  app.delete(
    '/v1/services/:id',
    {
      config: operator,
      schema: { operationId: 'deleteService', params, response: { 202: ServiceResource } },
    },
    async (request, reply) => {
      const service = await deleteService(store, serviceOf(request).id, ifMatch(request, serviceOf(request)));
      setETag(reply, service);
      return reply.code(202).send(await view(request, service));
    },
  );
}

/** Reads each project once. A service whose project is just going away is left out. */
async function servicesView(
  { store, settings }: ApiContext,
  services: Row<'Service'>[],
  principal: Principal | null,
): Promise<ServiceResource[]> {
  const ids = new Set(services.flatMap(({ owner }) => owner ?? []));
  const projects = new Map<string | null, Row<'Project'>>();
  for (const id of ids) {
    const project = await store.get('Project', id);
    if (project) projects.set(id, project);
  }
  const views = services.map(async (service) => {
    const project = projects.get(service.owner);
    const role = project && roleIn(principal, project.id);
    return project ? [await readServiceView(store, service, project, { settings, role })] : [];
  });
  return (await Promise.all(views)).flat();
}
