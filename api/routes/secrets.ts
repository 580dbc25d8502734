/** Secrets of a service: their names are shown, their values only ever come in. */
import { Type } from '@sinclair/typebox';
import { UpdateSecrets } from '../../specs/requests.ts';
import { Page, SecretResource, ServiceResource } from '../../specs/resources.ts';
import { projectOf, roleOf, serviceInPath, serviceOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { updateSecrets } from '../desired/update-secrets.ts';
import { pageOfNames, pageQuery } from '../paging.ts';
import { ifMatch, setETag } from '../versions.ts';
import { secretViews } from '../views/secret.ts';
import { readServiceView } from '../views/service.ts';

const url = '/v1/services/:id/secrets';
const params = Type.Object({ id: Type.String() });
const querystring = Type.Object(pageQuery, { additionalProperties: false });

export function secretRoutes(app: App, { store, vault, settings }: ApiContext): void {
  app.get(
    url,
    {
      config: { access: { role: 'Viewer', of: serviceInPath } },
      schema: { operationId: 'listSecrets', params, querystring, response: { 200: Page(SecretResource) } },
    },
    async (request) => {
      const service = serviceOf(request);
      const secrets = secretViews(service, await vault.list(service.id, 'env'));
      return pageOfNames(secrets, request.query);
    },
  );

  app.patch(
    url,
    {
      config: { access: { role: 'Operator', of: serviceInPath } },
      schema: {
        operationId: 'updateSecrets',
        params,
        body: UpdateSecrets,
        response: { 202: ServiceResource },
      },
    },
    async (request, reply) => {
      const service = await updateSecrets(
        store,
        serviceOf(request).id,
        request.body,
        ifMatch(request, serviceOf(request)),
      );
      setETag(reply, service);
      const context = { settings, role: roleOf(request) };
      const view = await readServiceView(store, service, projectOf(request), context);
      return reply.code(202).send(view);
    },
  );
}
