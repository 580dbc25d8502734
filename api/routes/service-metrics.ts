/** What a service's workload uses and answers, per replica and together. */
import { Type } from '@sinclair/typebox';
import { ServiceMetrics } from '../../specs/metrics.ts';
import { serviceInPath, serviceOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { readServiceMetrics } from '../views/metrics.ts';

const schema = {
  operationId: 'getServiceMetrics',
  params: Type.Object({ id: Type.String() }),
  response: { 200: ServiceMetrics },
};

export function serviceMetricsRoutes(app: App, { store, metrics, clock }: ApiContext): void {
  app.get(
    '/v1/services/:id/metrics',
    { config: { access: { role: 'Viewer', of: serviceInPath } }, schema },
    (request) => readServiceMetrics(store, serviceOf(request), metrics, clock.now()),
  );
}
