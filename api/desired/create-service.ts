/** A new service: its spec from what the client sent, defaults from the schema. */
import { Value } from '@sinclair/typebox/value';
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { CreateService } from '../../specs/requests.ts';
import { ServiceSpec } from '../../specs/service.ts';
import type { ApiContext } from '../context.ts';
import { invalid } from '../validation.ts';
import { appsHost } from '../views/service.ts';
import { serviceViolations } from './validate-service.ts';

/** Throws `invalid`, or `conflict` when the project has a service of this name. */
export async function createService(
  { store, newId, settings }: ApiContext,
  project: Row<'Project'>,
  body: CreateService,
): Promise<Row<'Service'>> {
  const spec = serviceSpec(body);
  const violations = serviceViolations(spec);
  if (body.health_path !== undefined && spec.health.path !== body.health_path) {
    violations.push({ path: '/health_path', message: 'is short for health.path; they must not differ' });
  }
  if (
    settings.controlDomain !== null &&
    appsHost(body.name, project.name, settings.appsDomain) === settings.controlDomain
  ) {
    violations.push({ path: '/name', message: "would claim the node's own control domain" });
  }
  if (violations.length > 0) throw invalid(violations);

  return store.write(async (writer) => {
    const owner = await writer.get('Project', project.id);
    if (!owner || owner.deleted_at !== null)
      throw new ProblemError('conflict', 'The project is being deleted.');
    return writer.create('Service', {
      id: newId('service'),
      name: body.name,
      owner: project.id,
      spec,
      status: { promoted: null, previous: null, conditions: [] },
    });
  });
}

function serviceSpec(body: CreateService): ServiceSpec {
  const { port, listen, replicas, env = {}, tls_enabled, resources, release, health_path } = body;
  const health = { ...(health_path === undefined ? {} : { path: health_path }), ...body.health };
  const rollout = { target: null, running: false, epoch: 0 };
  const spec = Value.Default(ServiceSpec, {
    ...{ port, listen, replicas, env, tls_enabled, rollout },
    ...{ health, resources: { ...resources }, release: { ...release } },
  });
  Value.Assert(ServiceSpec, spec);
  return spec;
}
