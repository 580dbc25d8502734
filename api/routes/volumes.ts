/** Volumes of a project: made by the services that mount them, kept until somebody destroys them. */
import { Type } from '@sinclair/typebox';
import { Page, VolumeResource } from '../../specs/resources.ts';
import { projectInPath, projectOf, volumeInPath, volumeOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { destroyVolume } from '../desired/volume.ts';
import { pageQuery, readPage } from '../paging.ts';
import { ifMatch, setETag } from '../versions.ts';
import { volumeView } from '../views/volume.ts';

const id = Type.String({ description: "the project's id or name" });
const oneParams = Type.Object({ id, volume_id: Type.String() });
const confirmation = Type.Object(
  {
    confirm: Type.String({ maxLength: 256, description: "the volume's name: its data cannot be had back" }),
  },
  { additionalProperties: false },
);

export function volumeRoutes(app: App, { store }: ApiContext): void {
  app.get(
    '/v1/projects/:id/volumes',
    {
      config: { access: { role: 'Viewer', of: projectInPath } },
      schema: {
        operationId: 'listVolumes',
        params: Type.Object({ id }),
        querystring: Type.Object(pageQuery, { additionalProperties: false }),
        response: { 200: Page(VolumeResource) },
      },
    },
    async (request) => {
      const list = (options: object) => store.list('Volume', { owner: projectOf(request).id, ...options });
      const { rows, next_cursor } = await readPage(list, request.query);
      return { items: rows.map(volumeView), next_cursor };
    },
  );

  app.get(
    '/v1/projects/:id/volumes/:volume_id',
    {
      config: { access: { role: 'Viewer', of: volumeInPath } },
      schema: { operationId: 'getVolume', params: oneParams, response: { 200: VolumeResource } },
    },
    (request, reply) => {
      setETag(reply, volumeOf(request));
      return volumeView(volumeOf(request));
    },
  );

  app.delete(
    '/v1/projects/:id/volumes/:volume_id',
    {
      config: { access: { role: 'Admin', of: volumeInPath } },
      schema: {
        operationId: 'destroyVolume',
        description: 'Destroys what is in it. Refused while a service runs with it.',
        ...{ params: oneParams, querystring: confirmation, response: { 202: VolumeResource } },
      },
    },
    async (request, reply) => {
      const known = volumeOf(request);
      const how = { confirm: request.query.confirm, ifVersion: ifMatch(request, known) };
      const volume = await destroyVolume(store, known.id, how);
      setETag(reply, volume);
      return reply.code(202).send(volumeView(volume));
    },
  );
}
