/** Writes of a service's desired state that a controller carries out: each answers 202 with the row. */
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Row } from '../../specs/index.ts';
import { RollbackService } from '../../specs/requests.ts';
import { ServiceResource } from '../../specs/resources.ts';
import { projectOf, roleOf, serviceInPath, serviceOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { rollback } from '../desired/rollback.ts';
import { restartService, startService, stopService } from '../desired/run-state.ts';
import { ifMatch, setETag } from '../versions.ts';
import { readServiceView } from '../views/service.ts';

const config = { access: { role: 'Operator', of: serviceInPath } } as const;
const params = Type.Object({ id: Type.String() });
const response = { 202: ServiceResource };
const NoBody = Type.Object({}, { additionalProperties: false });

export function serviceActionRoutes(app: App, api: ApiContext): void {
  const { store, settings } = api;
  const view = (request: FastifyRequest, row: Row<'Service'>) =>
    readServiceView(store, row, projectOf(request), { settings, role: roleOf(request) });

  const actions = { stop: stopService, start: startService, restart: restartService };
  for (const [name, act] of Object.entries(actions)) {
    app.post(
      `/v1/services/:id/${name}`,
      { config, schema: { operationId: `${name}Service`, params, body: NoBody, response } },
      async (request, reply) => {
        const service = await act(store, serviceOf(request).id, ifMatch(request, serviceOf(request)));
        setETag(reply, service);
        return reply.code(202).send(await view(request, service));
      },
    );
  }

  app.post(
    '/v1/services/:id/rollback',
    { config, schema: { operationId: 'rollBackService', params, body: RollbackService, response } },
    async (request, reply) => {
      const service = await rollback(store, serviceOf(request).id, request.body.deployment_id, {
        ifVersion: ifMatch(request, serviceOf(request)),
        hostPaths: settings.hostPaths,
      });
      setETag(reply, service);
      return reply.code(202).send(await view(request, service));
    },
  );
}
