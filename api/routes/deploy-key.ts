/** The deploy key of a project: only its public half is ever answered. */
import { Type } from '@sinclair/typebox';
import { CreateDeployKey } from '../../specs/requests.ts';
import { DeployKeyResource } from '../../specs/resources.ts';
import { projectInPath, projectOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { deleteDeployKey, findDeployKey, generateDeployKey, setDeployKey } from '../desired/deploy-key.ts';
import { ifMatch, setETag } from '../versions.ts';
import { deployKeyView } from '../views/deploy-key.ts';

const url = '/v1/projects/:id/deploy-key';
const config = { access: { role: 'Operator', of: projectInPath } } as const;
const params = Type.Object({ id: Type.String({ description: "the project's id or name" }) });
const NoBody = Type.Object({}, { additionalProperties: false });

export function deployKeyRoutes(app: App, api: ApiContext): void {
  const { store } = api;

  app.get(
    url,
    { config, schema: { operationId: 'getDeployKey', params, response: { 200: DeployKeyResource } } },
    async (request, reply) => {
      const project = projectOf(request);
      const key = await findDeployKey(store, project);
      setETag(reply, key);
      return deployKeyView(key, project);
    },
  );

  app.post(
    url,
    {
      config,
      schema: {
        operationId: 'setDeployKey',
        params,
        body: CreateDeployKey,
        response: { 200: DeployKeyResource, 201: DeployKeyResource },
      },
    },
    async (request, reply) => {
      const project = projectOf(request);
      const { private_key } = request.body;
      const { row, created } = await setDeployKey(api, project, private_key, ifMatch(request));
      setETag(reply, row);
      return reply.code(created ? 201 : 200).send(deployKeyView(row, project));
    },
  );

  app.post(
    `${url}/generate`,
    {
      config,
      schema: {
        operationId: 'generateDeployKey',
        params,
        body: NoBody,
        response: { 201: DeployKeyResource },
      },
    },
    async (request, reply) => {
      const project = projectOf(request);
      const key = await generateDeployKey(api, project);
      setETag(reply, key);
      return reply.code(201).send(deployKeyView(key, project));
    },
  );

  app.delete(
    url,
    { config, schema: { operationId: 'deleteDeployKey', params, response: { 204: Type.Null() } } },
    async (request, reply) => {
      await deleteDeployKey(store, projectOf(request), ifMatch(request));
      return reply.code(204).send(null);
    },
  );
}
