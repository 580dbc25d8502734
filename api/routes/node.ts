/** What this node is. */
import { NodeResource } from '../../specs/resources.ts';
import type { ApiContext, App } from '../context.ts';

export function nodeRoutes(app: App, { node, settings }: ApiContext): void {
  app.get('/v1/node', { config: { access: 'any' }, schema: { response: { 200: NodeResource } } }, () => ({
    version: settings.version,
    control_domain: settings.controlDomain,
    apps_domain: settings.appsDomain,
    engine: node.engine(),
    // Certificates are not asked for yet.
    acme: { enabled: false },
    ingress: node.ingress(),
  }));
}
