/** Projects: made by super-admins, seen by their members. */
import { Type } from '@sinclair/typebox';
import { CreateProject } from '../../specs/requests.ts';
import { Page, ProjectResource } from '../../specs/resources.ts';
import { projectInPath, projectOf, roleIn } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { pageQuery, readPage } from '../paging.ts';
import { setETag } from '../versions.ts';
import { projectView } from '../views/project.ts';

const querystring = Type.Object(pageQuery, { additionalProperties: false });
const params = Type.Object({ id: Type.String({ description: "the project's id or name" }) });

export function projectRoutes(app: App, { store, newId }: ApiContext): void {
  app.get(
    '/v1/projects',
    { config: { access: 'any' }, schema: { querystring, response: { 200: Page(ProjectResource) } } },
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
      schema: { params, response: { 200: ProjectResource } },
    },
    (request, reply) => {
      const project = projectOf(request);
      setETag(reply, project);
      return projectView(project);
    },
  );

  app.post(
    '/v1/projects',
    {
      config: { access: 'super-admin' },
      schema: { body: CreateProject, response: { 201: ProjectResource } },
    },
    async ({ body }, reply) => {
      const status = { subnet: null, network: null, conditions: [] };
      const project = await store.write((writer) =>
        writer.create('Project', { id: newId('project'), name: body.name, owner: null, spec: {}, status }),
      );
      setETag(reply, project);
      return reply.code(201).send(projectView(project));
    },
  );
}
