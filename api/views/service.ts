/** Service row → resource, and where it is served. */
import type { Role } from '../../specs/account.ts';
import type { Row } from '../../specs/index.ts';
import type { ServiceResource } from '../../specs/resources.ts';
import type { ApiSettings } from '../context.ts';
import type { Reader } from '../store/store.ts';
import { certificateOf, isServed } from './certificate.ts';
import { secureOriginOf, verifiedOrigins } from './domain.ts';
import { visibleEnvironment } from './environment.ts';
import { metaView } from './meta.ts';

export interface ServiceViewer {
  settings: ApiSettings;
  /** Of who asks, in the project: values of the environment are shown from Operator on. */
  role: Role | undefined;
}

/** Reads what it is served at. */
export async function readServiceView(
  reader: Reader,
  row: Row<'Service'>,
  project: Row<'Project'>,
  viewer: ServiceViewer,
): Promise<ServiceResource> {
  const { settings } = viewer;
  const own = await appsOrigin(reader, row, project, settings);
  const origins = [...(await verifiedOrigins(reader, row.id, settings)), ...(own === null ? [] : [own])];
  return serviceView(row, project, origins, viewer);
}

function serviceView(
  row: Row<'Service'>,
  project: Row<'Project'>,
  origins: readonly string[],
  { role }: ServiceViewer,
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
    env: visibleEnvironment(spec.env, role),
    secrets: Object.keys(spec.secrets).sort(),
    tls_enabled: spec.tls_enabled,
    resources: spec.resources,
    command: spec.command ?? null,
    volumes: spec.volumes ?? [],
    release: spec.release,
    running: spec.rollout.running,
    epoch: spec.rollout.epoch,
    target_deployment_id: spec.rollout.target,
    promoted_deployment_id: status.promoted,
    previous_deployment_id: status.previous,
    bake: status.bake && { deployment_id: status.bake.deployment, until: status.bake.until },
    parked_since: status.parked_since,
    urls: origins.map((origin) => `${origin}/`),
  };
}

/** The hostname that a service has by itself; null when the node has no domain for its services. */
export function appsHost(service: string, project: string, appsDomain: string | null): string | null {
  return appsDomain === null ? null : `${service}.${project}.${appsDomain}`;
}

async function appsOrigin(
  reader: Reader,
  { id, name }: Row<'Service'>,
  project: Row<'Project'>,
  { appsDomain, publicHttpPort, publicHttpsPort }: ApiSettings,
): Promise<string | null> {
  const host = appsHost(name, project.name, appsDomain);
  if (host === null) return null;
  const secure = publicHttpsPort !== null && isServed(await certificateOf(reader, id));
  if (secure) return secureOriginOf(host, publicHttpsPort);
  return `http://${host}${publicHttpPort === 80 ? '' : `:${publicHttpPort}`}`;
}
