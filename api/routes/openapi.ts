/** The API's description of itself. */
import { Type } from '@sinclair/typebox';
import type { RouteOptions } from 'fastify';
import type { ApiContext, App } from '../context.ts';
import { openApiDocument } from '../openapi/document.ts';
import { describeRoute, type Route } from '../openapi/route.ts';

/** Must come before the routes that it describes: it listens to them being declared. */
export function openApiRoutes(app: App, { settings }: ApiContext): void {
  const routes: Route[] = [];
  let document: string | undefined;
  app.addHook('onRoute', (options: RouteOptions) => {
    const route = describeRoute(options);
    if (route) routes.push(route);
  });

  app.get(
    '/openapi.json',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getOpenApiDocument',
        response: { 200: Type.Object({}, { additionalProperties: true, description: 'OpenAPI 3.1' }) },
      },
    },
    (_request, reply) => {
      // Routes cannot come or go once the API answers.
      document ??= JSON.stringify(openApiDocument(routes, settings.version));
      return reply.header('content-type', 'application/json').send(document);
    },
  );
}
