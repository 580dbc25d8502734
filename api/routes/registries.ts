/** Registries of a project: which external images it may pull, and as whom. A password only ever comes in. */
import { Type } from '@sinclair/typebox';
import { CreateRegistry } from '../../specs/requests.ts';
import { Page, RegistryResource } from '../../specs/resources.ts';
import { projectInPath, projectOf, registryInPath, registryOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { createRegistry, deleteRegistry } from '../desired/registry.ts';
import { pageQuery, readPage } from '../paging.ts';
import { ifMatch, setETag } from '../versions.ts';
import { registryView } from '../views/registry.ts';

const ofProject = { access: { role: 'Operator', of: projectInPath } } as const;
const ofRegistry = { access: { role: 'Operator', of: registryInPath } } as const;
const id = Type.String({ description: "the project's id or name" });
const params = Type.Object({ id });
const oneParams = Type.Object({ id, registry_id: Type.String() });
const querystring = Type.Object(pageQuery, { additionalProperties: false });

export function registryRoutes(app: App, api: ApiContext): void {
  readRoutes(app, api);
  writeRoutes(app, api);
}

function readRoutes(app: App, { store }: ApiContext): void {
  app.get(
    '/v1/projects/:id/registries',
    {
      config: ofProject,
      schema: {
        operationId: 'listRegistries',
        params,
        querystring,
        response: { 200: Page(RegistryResource) },
      },
    },
    async (request) => {
      const project = projectOf(request);
      const { rows, next_cursor } = await readPage(
        (options) => store.list('Registry', { owner: project.id, ...options }),
        request.query,
      );
      return { items: rows.map((row) => registryView(row, project)), next_cursor };
    },
  );

  app.get(
    '/v1/projects/:id/registries/:registry_id',
    {
      config: ofRegistry,
      schema: { operationId: 'getRegistry', params: oneParams, response: { 200: RegistryResource } },
    },
    (request, reply) => {
      setETag(reply, registryOf(request));
      return registryView(registryOf(request), projectOf(request));
    },
  );
}

function writeRoutes(app: App, api: ApiContext): void {
  app.post(
    '/v1/projects/:id/registries',
    {
      config: ofProject,
      schema: {
        operationId: 'createRegistry',
        params,
        body: CreateRegistry,
        response: { 201: RegistryResource },
      },
    },
    async (request, reply) => {
      const project = projectOf(request);
      const registry = await createRegistry(api, project.id, request.body);
      setETag(reply, registry);
      return reply.code(201).send(registryView(registry, project));
    },
  );

  app.delete(
    '/v1/projects/:id/registries/:registry_id',
    {
      config: ofRegistry,
      schema: { operationId: 'deleteRegistry', params: oneParams, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await deleteRegistry(api.store, registryOf(request).id, ifMatch(request, registryOf(request)));
      return reply.code(204).send(null);
    },
  );
}
