/** The part of a service that runs. A change of anything else (replicas, TLS, release settings) releases nothing. Pure. */
import type { ServiceSpec } from './service.ts';
import type { Workload } from './workload.ts';

/** What a deployment made now would freeze; or, sorted, the declared secrets that have no value yet. */
export type Configuration = { workload: Workload } | { missing: string[] };

export function workloadOf(spec: ServiceSpec): Configuration {
  const { port, listen, health, env, secrets, resources, command, volumes = [] } = spec;
  const declared = Object.entries(secrets);
  const missing = declared.filter(([, version]) => version === null).map(([name]) => name);
  if (missing.length > 0) return { missing: missing.sort() };
  const versions = declared.flatMap(([name, version]) =>
    version === null ? [] : [[name, version] as const],
  );
  const workload = { port, listen, health, env, secrets: Object.fromEntries(versions), resources };
  return {
    workload: {
      ...workload,
      ...(command === undefined ? {} : { command }),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  };
}
