/** Whether the node lives, and whether it can serve. For supervisors and load balancers: no token, no details of workloads. */
import { Type } from '@sinclair/typebox';
import { ProblemError } from '../../specs/problem.ts';
import type { App } from '../context.ts';
import type { NodeState } from '../ports.ts';

const Health = Type.Object({ status: Type.Literal('ok') });
const config = { access: 'public' } as const;

export function healthRoutes(app: App, { node }: { node: NodeState }): void {
  app.get('/healthz', { config, schema: { operationId: 'getLiveness', response: { 200: Health } } }, () => ({
    status: 'ok' as const,
  }));

  app.get(
    '/readyz',
    { config, schema: { operationId: 'getReadiness', response: { 200: Health } } },
    async () => {
      const reasons = await node.unready();
      if (reasons.length > 0) throw new ProblemError('unavailable', reasons.join(' '), { retryAfter: 1 });
      return { status: 'ok' as const };
    },
  );
}
