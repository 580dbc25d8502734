/** Service row → resource, and where it is served. */
import type { Row } from '../../specs/index.ts';
import type { ServiceResource } from '../../specs/resources.ts';
import type { ApiSettings } from '../context.ts';
import { metaView } from './meta.ts';

export function serviceView(
  row: Row<'Service'>,
  project: Row<'Project'>,
  settings: ApiSettings,
): ServiceResource {
  const { spec, status } = row;
  return {
    ...metaView(row),
    name: row.name,
    project: project.name,
    project_id: project.id,
    port: spec.port,
    listen: spec.listen,
    health: spec.health,
    replicas: spec.replicas,
    env: spec.env,
    tls_enabled: spec.tls_enabled,
    resources: spec.resources,
    release: spec.release,
    running: spec.rollout.running,
    epoch: spec.rollout.epoch,
    target_deployment_id: spec.rollout.target,
    promoted_deployment_id: status.promoted,
    previous_deployment_id: status.previous,
    urls: urlsOf(row.name, project.name, settings),
  };
}

/** The hostname that a service has by itself; null when the node has no domain for its services. */
export function appsHost(service: string, project: string, appsDomain: string | null): string | null {
  return appsDomain === null ? null : `${service}.${project}.${appsDomain}`;
}

function urlsOf(service: string, project: string, { appsDomain, publicHttpPort }: ApiSettings): string[] {
  const host = appsHost(service, project, appsDomain);
  return host === null ? [] : [`http://${host}${publicHttpPort === 80 ? '' : `:${publicHttpPort}`}/`];
}
