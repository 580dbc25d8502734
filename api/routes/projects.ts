/** Projects: made by super-admins, seen by their members. */
import { Type } from '@sinclair/typebox';
import { ProblemError } from '../../specs/problem.ts';
import { CreateProject } from '../../specs/requests.ts';
import { Page, ProjectResource } from '../../specs/resources.ts';
import { findProject, projectInPath, projectOf, roleIn } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { deleteProject } from '../desired/delete.ts';
import { pageQuery, readPage } from '../paging.ts';
import { ifMatch, setETag } from '../versions.ts';
import { projectView } from '../views/project.ts';

const querystring = Type.Object(pageQuery, { additionalProperties: false });
const deletion = Type.Object(
  { cascade: Type.Boolean({ default: false, description: 'its services go with it' }) },
  { additionalProperties: false },
);
const params = Type.Object({ id: Type.String({ description: "the project's id or name" }) });

export function projectRoutes(app: App, api: ApiContext): void {
  readRoutes(app, api);
  writeRoutes(app, api);
}

function readRoutes(app: App, { store }: ApiContext): void {
  app.get(
    '/v1/projects',
    {
      config: { access: 'any' },
      schema: { operationId: 'listProjects', querystring, response: { 200: Page(ProjectResource) } },
    },
    async ({ query, principal }) => {
      const { rows, next_cursor } = await readPage(
        (options) => store.list('Project', options),
        query,
        ({ id }) => roleIn(principal, id) !== undefined,
      );
      return { items: rows.map(projectView), next_cursor };
    },
  );

  app.get(
    '/v1/projects/:id',
    {
      config: { access: { role: 'Viewer', of: projectInPath } },
      schema: { operationId: 'getProject', params, response: { 200: ProjectResource } },
    },
    (request, reply) => {
      const project = projectOf(request);
      setETag(reply, project);
      return projectView(project);
    },
  );
}

function writeRoutes(app: App, { store, newId }: ApiContext): void {
  app.post(
    '/v1/projects',
    {
      config: { access: 'super-admin' },
      schema: { operationId: 'createProject', body: CreateProject, response: { 201: ProjectResource } },
    },
    async ({ body }, reply) => {
      const status = { subnet: null, network: null, network_name: null, conditions: [] };
      const project = await store.write((writer) =>
        writer.create('Project', { id: newId('project'), name: body.name, owner: null, spec: {}, status }),
      );
      setETag(reply, project);
      return reply.code(201).send(projectView(project));
    },
  );

  app.delete(
    '/v1/projects/:id',
    {
      config: { access: 'super-admin' },
      schema: {
        operationId: 'deleteProject',
        params,
        querystring: deletion,
        response: { 202: ProjectResource },
      },
    },
    async (request, reply) => {
      // A super-admin may know of every project.
      const there = await findProject(store, request.params.id);
      if (!there) throw new ProblemError('not_found', 'There is no such project.');
      const how = { cascade: request.query.cascade, ifVersion: ifMatch(request, there) };
      const project = await deleteProject(store, there.id, how);
      setETag(reply, project);
      return reply.code(202).send(projectView(project));
    },
  );
}
