/** A changed service: a merge patch (RFC 7396) of its spec. What it releases is its controller's business. */
import type { HostPath } from '../../specs/host-path.ts';
import type { Row } from '../../specs/index.ts';
import type { UpdateService } from '../../specs/requests.ts';
import type { ServiceSpec } from '../../specs/service.ts';
import type { Store } from '../store/store.ts';
import { invalid } from '../validation.ts';
import { livingProject, livingService } from './living.ts';
import { dropUnusedSecrets } from './secret-versions.ts';
import { serviceViolations } from './validate-service.ts';

/**
 * `secrets` replaces the list of declared names: a new one starts without a value, and one that is left out loses its
 * values once nothing can run with them any more. Throws `invalid`, `precondition_failed`, and `conflict` while it is
 * being deleted.
 * @param hostPaths that the node's operator allows
 */
export function updateService(
  store: Store,
  id: string,
  body: UpdateService,
  ifVersion?: number,
  hostPaths: readonly HostPath[] = [],
): Promise<Row<'Service'>> {
  return store.write(async (writer) => {
    const before = await livingService(writer, id);
    const next = patched(before.spec, body);
    const project = await livingProject(writer, before.owner);
    const violations = serviceViolations(next, body, { project: project.name, paths: hostPaths });
    if (violations.length > 0) throw invalid(violations);
    const service = await writer.updateSpec('Service', id, () => next, ifVersion);
    if (body.secrets !== undefined) await dropUnusedSecrets(writer, service);
    return service;
  });
}

function patched(spec: ServiceSpec, body: UpdateService): ServiceSpec {
  const { health, health_path, env = {}, secrets, resources, release, command, volumes, ...plain } = body;
  const { command: before, volumes: mounted = [], ...rest } = spec;
  const wanted = command === undefined ? before : command;
  const mounts = volumes ?? mounted;
  const variables = Object.entries({ ...spec.env, ...env }).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  );
  return {
    ...rest,
    ...plain,
    ...(wanted === undefined || wanted === null ? {} : { command: wanted }),
    ...(mounts.length === 0 ? {} : { volumes: mounts }),
    health: { ...spec.health, ...(health_path === undefined ? {} : { path: health_path }), ...health },
    env: Object.fromEntries(variables),
    secrets: secrets === undefined ? spec.secrets : declare(secrets, spec.secrets),
    resources: { ...spec.resources, ...resources },
    release: { ...spec.release, ...release },
  };
}

/** Names that stay keep the version of their value. */
function declare(names: readonly string[], before: ServiceSpec['secrets']): ServiceSpec['secrets'] {
  const known = new Map(Object.entries(before));
  return Object.fromEntries(names.map((name) => [name, known.get(name) ?? null]));
}
