/** Git hosts that a project knows, each by its key as it was first seen. Clones add to them; people only take away. */
import { Type } from '@sinclair/typebox';
import { KnownHostResource, Page } from '../../specs/resources.ts';
import { knownHostInPath, knownHostOf, projectInPath, projectOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { requireVersion } from '../desired/living.ts';
import { pageQuery, readPage } from '../paging.ts';
import { ifMatch, setETag } from '../versions.ts';
import { knownHostView } from '../views/known-host.ts';

const ofHost = { access: { role: 'Operator', of: knownHostInPath } } as const;
const id = Type.String({ description: "the project's id or name" });
const oneParams = Type.Object({ id, known_host_id: Type.String() });

export function knownHostRoutes(app: App, { store }: ApiContext): void {
  app.get(
    '/v1/projects/:id/known-hosts',
    {
      config: { access: { role: 'Operator', of: projectInPath } },
      schema: {
        operationId: 'listKnownHosts',
        params: Type.Object({ id }),
        querystring: Type.Object(pageQuery, { additionalProperties: false }),
        response: { 200: Page(KnownHostResource) },
      },
    },
    async (request) => {
      const project = projectOf(request);
      const list = (options: object) => store.list('KnownHost', { owner: project.id, ...options });
      const { rows, next_cursor } = await readPage(list, request.query);
      return { items: rows.map((row) => knownHostView(row, project)), next_cursor };
    },
  );

  app.get(
    '/v1/projects/:id/known-hosts/:known_host_id',
    {
      config: ofHost,
      schema: { operationId: 'getKnownHost', params: oneParams, response: { 200: KnownHostResource } },
    },
    (request, reply) => {
      const row = knownHostOf(request);
      setETag(reply, row);
      return knownHostView(row, projectOf(request));
    },
  );

  app.delete(
    '/v1/projects/:id/known-hosts/:known_host_id',
    {
      config: ofHost,
      schema: {
        operationId: 'deleteKnownHost',
        description: 'The next clone from this host takes the key that it shows then.',
        params: oneParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const known = knownHostOf(request);
      const version = ifMatch(request, known);
      await store.write(async (writer) => {
        const row = await writer.get('KnownHost', known.id);
        if (!row) return;
        requireVersion(row, version);
        await writer.purge('KnownHost', row.id);
      });
      return reply.code(204).send(null);
    },
  );
}
