/** Garbage collection on request: what nothing needs any more. */
import { CollectGarbage, GarbageReport } from '../../specs/gc.ts';
import type { ApiContext, App } from '../context.ts';

export function gcRoutes(app: App, { garbage }: ApiContext): void {
  app.post(
    '/v1/gc',
    {
      config: { access: 'super-admin' },
      schema: {
        operationId: 'collectGarbage',
        description:
          'Removes images, networks, uploads, logs and build cache of this node that nothing refers to. Volumes are reported, never taken.',
        body: CollectGarbage,
        response: { 200: GarbageReport },
      },
    },
    ({ body }) => garbage.collect(body.dry_run ?? false),
  );
}
