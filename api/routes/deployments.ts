/** Deployments: attempts to build and release a service. */
import { Type } from '@sinclair/typebox';
import { DeploymentPhase } from '../../specs/deployment.ts';
import { CreateDeployment } from '../../specs/requests.ts';
import { DeploymentResource, Page } from '../../specs/resources.ts';
import { deploymentInPath, deploymentOf, roleIn, serviceInBody } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { deploy } from '../desired/deploy.ts';
import { stopDeployment } from '../desired/stop-deployment.ts';
import { pageQuery, readPage } from '../paging.ts';
import { ifMatch, setETag } from '../versions.ts';
import { readDeploymentView } from '../views/deployment.ts';

const viewer = { access: { role: 'Viewer', of: deploymentInPath } } as const;
const params = Type.Object({ id: Type.String() });
const response = { 202: DeploymentResource };
const NoBody = Type.Object({}, { additionalProperties: false });
const querystring = Type.Object(
  {
    ...pageQuery,
    service_id: Type.Optional(Type.String({ maxLength: 64 })),
    status: Type.Optional(DeploymentPhase),
  },
  { additionalProperties: false },
);

export function deploymentRoutes(app: App, api: ApiContext): void {
  const { store } = api;

  app.get(
    '/v1/deployments',
    { config: { access: 'any' }, schema: { querystring, response: { 200: Page(DeploymentResource) } } },
    async ({ query, principal }) => {
      const filter = query.service_id === undefined ? {} : { owner: query.service_id };
      const { rows, next_cursor } = await readPage(
        (options) => store.list('Deployment', { ...filter, ...options }),
        query,
        ({ spec, status }) =>
          roleIn(principal, spec.project_id) !== undefined &&
          (query.status === undefined || query.status === status.phase),
      );
      return { items: await Promise.all(rows.map((row) => readDeploymentView(store, row))), next_cursor };
    },
  );

  app.get(
    '/v1/deployments/:id',
    { config: viewer, schema: { params, response: { 200: DeploymentResource } } },
    async (request, reply) => {
      const deployment = deploymentOf(request);
      setETag(reply, deployment);
      return readDeploymentView(store, deployment);
    },
  );

  app.post(
    '/v1/deployments',
    {
      config: { access: { role: 'Operator', of: serviceInBody } },
      schema: { body: CreateDeployment, response },
    },
    async ({ body }, reply) => {
      const deployment = await deploy(api, body);
      setETag(reply, deployment);
      return reply.code(202).send(await readDeploymentView(store, deployment));
    },
  );

  app.post(
    '/v1/deployments/:id/stop',
    {
      config: { access: { role: 'Operator', of: deploymentInPath } },
      schema: { params, body: NoBody, response },
    },
    async (request, reply) => {
      const deployment = await stopDeployment(store, deploymentOf(request).id, ifMatch(request));
      setETag(reply, deployment);
      return reply.code(202).send(await readDeploymentView(store, deployment));
    },
  );
}
