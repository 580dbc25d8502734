/** Service row → resource, and where it is served. */
import type { Role } from '../../specs/account.ts';
import type { Row } from '../../specs/index.ts';
import type { ServiceResource } from '../../specs/resources.ts';
import type { Environment } from '../../specs/workload.ts';
import { reaches } from '../auth/scope.ts';
import type { ApiSettings } from '../context.ts';
import { metaView } from './meta.ts';

/** What stands in the place of a value that the caller may not see. */
const redacted = '***';

/** @param role of who asks, in the project: values of the environment are shown from Operator on */
export function serviceView(
  row: Row<'Service'>,
  project: Row<'Project'>,
  { settings, role }: { settings: ApiSettings; role: Role | undefined },
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
    env: role !== undefined && reaches(role, 'Operator') ? spec.env : redact(spec.env),
    secrets: Object.keys(spec.secrets).sort(),
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

function redact(env: Environment): Environment {
  return Object.fromEntries(Object.keys(env).map((name) => [name, redacted]));
}

/** The hostname that a service has by itself; null when the node has no domain for its services. */
export function appsHost(service: string, project: string, appsDomain: string | null): string | null {
  return appsDomain === null ? null : `${service}.${project}.${appsDomain}`;
}

function urlsOf(service: string, project: string, { appsDomain, publicHttpPort }: ApiSettings): string[] {
  const host = appsHost(service, project, appsDomain);
  return host === null ? [] : [`http://${host}${publicHttpPort === 80 ? '' : `:${publicHttpPort}`}/`];
}
