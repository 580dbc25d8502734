/** Deployments: attempts to build and release a service. */
import { Type } from '@sinclair/typebox';
import { DeploymentPhase } from '../../specs/deployment.ts';
import { CreateDeployment } from '../../specs/requests.ts';
import { DeploymentResource, Page } from '../../specs/resources.ts';
import { deploymentInPath, deploymentOf, roleIn, roleOf, serviceInBody } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { deploy } from '../desired/deploy.ts';
import { sourceFaults } from '../desired/deployment-source.ts';
import { stopDeployment } from '../desired/stop-deployment.ts';
import { pageQuery, readPage } from '../paging.ts';
import { invalid } from '../validation.ts';
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
  readRoutes(app, api);
  writeRoutes(app, api);
}

function readRoutes(app: App, api: ApiContext): void {
  const { store } = api;

  app.get(
    '/v1/deployments',
    {
      config: { access: 'any' },
      schema: { operationId: 'listDeployments', querystring, response: { 200: Page(DeploymentResource) } },
    },
    async ({ query, principal }) => {
      const filter = query.service_id === undefined ? {} : { owner: query.service_id };
      const service = filter.owner === undefined ? undefined : await store.get('Service', filter.owner);
      // One of a project that the caller is no member of is like one that is not there, in time as well.
      if (filter.owner !== undefined && !roleIn(principal, service?.owner ?? ''))
        return { items: [], next_cursor: null };
      const { rows, next_cursor } = await readPage(
        (options) => store.list('Deployment', { ...filter, ...options }),
        query,
        ({ spec, status }) =>
          roleIn(principal, spec.project_id) !== undefined &&
          (query.status === undefined || query.status === status.phase),
      );
      const views = rows.map((row) => readDeploymentView(api, row, roleIn(principal, row.spec.project_id)));
      return { items: await Promise.all(views), next_cursor };
    },
  );

  app.get(
    '/v1/deployments/:id',
    {
      config: viewer,
      schema: { operationId: 'getDeployment', params, response: { 200: DeploymentResource } },
    },
    async (request, reply) => {
      const deployment = deploymentOf(request);
      setETag(reply, deployment);
      return readDeploymentView(api, deployment, roleOf(request));
    },
  );
}

function writeRoutes(app: App, api: ApiContext): void {
  const { store } = api;

  app.post(
    '/v1/deployments',
    {
      config: { access: { role: 'Operator', of: serviceInBody } },
      schema: { operationId: 'createDeployment', body: CreateDeployment, response },
      preValidation: (request, _, done) => {
        const faults = sourceFaults(request.body);
        done(faults.length > 0 ? invalid(faults) : undefined);
      },
    },
    async (request, reply) => {
      await api.garbage.requireRoom();
      const deployment = await deploy(api, request.body);
      setETag(reply, deployment);
      return reply.code(202).send(await readDeploymentView(api, deployment, roleOf(request)));
    },
  );

  app.post(
    '/v1/deployments/:id/stop',
    {
      config: { access: { role: 'Operator', of: deploymentInPath } },
      schema: { operationId: 'stopDeployment', params, body: NoBody, response },
    },
    async (request, reply) => {
      const current = deploymentOf(request);
      const deployment = await stopDeployment(store, current.id, ifMatch(request, current));
      setETag(reply, deployment);
      return reply.code(202).send(await readDeploymentView(api, deployment, roleOf(request)));
    },
  );
}
