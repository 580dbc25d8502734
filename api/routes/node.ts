/** What this node is, and its key. */
import { NodeResource, RotatedKey } from '../../specs/resources.ts';
import type { ApiContext, App } from '../context.ts';

export function nodeRoutes(app: App, { node, rotateNodeKey, settings }: ApiContext): void {
  app.get(
    '/v1/node',
    { config: { access: 'any' }, schema: { operationId: 'getNode', response: { 200: NodeResource } } },
    () => ({
      version: settings.version,
      control_domain: settings.controlDomain,
      apps_domain: settings.appsDomain,
      engine: node.engine(),
      acme: { enabled: settings.acmeEnabled },
      ingress: node.ingress(),
      disks: node.disks(),
    }),
  );

  app.post(
    '/v1/node/rotate-key',
    {
      config: { access: 'super-admin' },
      schema: { operationId: 'rotateNodeKey', response: { 200: RotatedKey } },
    },
    () => rotateNodeKey(),
  );
}
