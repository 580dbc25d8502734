/** A new service: its spec from what the client sent, defaults from the schema. */
import { Value } from '@sinclair/typebox/value';
import type { Row } from '../../specs/index.ts';
import type { CreateService } from '../../specs/requests.ts';
import { ServiceSpec } from '../../specs/service.ts';
import type { ApiContext } from '../context.ts';
import { invalid } from '../validation.ts';
import { appsHost } from '../views/service.ts';
import { livingProject } from './living.ts';
import { requireProjectRoom } from './project-room.ts';
import { serviceViolations } from './validate-service.ts';

/** Throws `invalid`, `conflict` when the project has a service of this name, or `too_large` when it has too many. */
export async function createService(
  { store, newId, settings }: ApiContext,
  project: Row<'Project'>,
  body: CreateService,
): Promise<Row<'Service'>> {
  const spec = serviceSpec(body);
  const violations = serviceViolations(spec, body, { project: project.name, paths: settings.hostPaths });
  if (
    settings.controlDomain !== null &&
    appsHost(body.name, project.name, settings.appsDomain) === settings.controlDomain
  ) {
    violations.push({ path: '/name', message: "would claim the node's own control domain" });
  }
  if (violations.length > 0) throw invalid(violations);

  return store.write(async (writer) => {
    await livingProject(writer, project.id);
    await requireProjectRoom(writer, 'Service', project.id);
    return writer.create('Service', {
      id: newId('service'),
      name: body.name,
      owner: project.id,
      spec,
      status: { promoted: null, previous: null, bake: null, parked_since: null, conditions: [] },
    });
  });
}

function serviceSpec(body: CreateService): ServiceSpec {
  const { port, listen, replicas, env = {}, tls_enabled, resources, release, health_path } = body;
  const health = { ...(health_path === undefined ? {} : { path: health_path }), ...body.health };
  const rollout = { target: null, running: false, epoch: 0, configured: null };
  const secrets = Object.fromEntries((body.secrets ?? []).map((name) => [name, null]));
  const { command, volumes = [] } = body;
  const spec = Value.Default(ServiceSpec, {
    ...{ port, listen, replicas, env, secrets, tls_enabled, rollout },
    ...(command === undefined ? {} : { command }),
    ...(volumes.length === 0 ? {} : { volumes }),
    ...{ health, resources: { ...resources }, release: { ...release } },
  });
  Value.Assert(ServiceSpec, spec);
  return spec;
}
