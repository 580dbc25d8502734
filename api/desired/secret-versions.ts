/** Versions of a service's secrets: which numbers were given, and which values are still needed. */
import { mayRun } from '../../specs/deployment.ts';
import { isOver } from '../../specs/job.ts';
import type { Row } from '../../specs/index.ts';
import type { Reader, Writer } from '../store/store.ts';

/**
 * The greatest version of each name that a deployment ever froze. A number is never given twice: the same number means the
 * same value, and a service that asks for it asks for nothing new.
 */
export async function lastFrozen(reader: Reader, serviceId: string): Promise<Map<string, number>> {
  const last = new Map<string, number>();
  for (const { spec } of await reader.list('Deployment', { owner: serviceId })) {
    for (const [name, version] of Object.entries(spec.workload.secrets))
      last.set(name, Math.max(version, last.get(name) ?? 0));
  }
  return last;
}

/** Drops the values that neither the service, nor a deployment that may still run, nor a run under way refers to. */
export async function dropUnusedSecrets(writer: Writer, service: Row<'Service'>): Promise<void> {
  const deployments = await writer.list('Deployment', { owner: service.id });
  const frozen = deployments.filter(({ status }) => mayRun(status)).map(({ spec }) => spec.workload.secrets);
  const runs = (await writer.list('Run')).filter(
    ({ spec, status }) => spec.service_id === service.id && !isOver(status.phase),
  );
  const needed = new Set(
    [service.spec.secrets, ...frozen, ...runs.map(({ spec }) => spec.secrets)].flatMap((versions) =>
      Object.entries(versions).map(key),
    ),
  );
  for (const { name, version } of await writer.sealedVersions(service.id, 'env')) {
    if (!needed.has(key([name, version])))
      await writer.dropSealed(service.id, { kind: 'env', name, version });
  }
}

/** No name has a slash in it. */
function key([name, version]: [string, number | null]): string {
  return `${name}/${version}`;
}
