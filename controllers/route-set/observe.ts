/** Reads everything that routing follows from. Reads only. */
import type { Row } from '../../specs/index.ts';
import type { Reader, Store } from '../../api/store/store.ts';

export interface Observed {
  projects: Row<'Project'>[];
  services: Row<'Service'>[];
  /** Promoted deployments. */
  deployments: Row<'Deployment'>[];
  replicas: Row<'Replica'>[];
  domains: Row<'Domain'>[];
  challenges: Row<'Challenge'>[];
  certificates: Row<'Certificate'>[];
}

export interface ObserveDeps {
  store: Store;
}

/**
 * In one transaction, though nothing is written: were a promotion to come between reading the services and reading their
 * deployments, a route set would be published in which a service has no replica for a moment.
 * @param plan called within it, so that whatever is written later knows of what it decides
 */
export function observe<T>({ store }: ObserveDeps, plan: (observed: Observed) => T): Promise<T> {
  return store.write(async (reader) => plan(await read(reader)), { lazy: true });
}

async function read(reader: Reader): Promise<Observed> {
  const [projects, services, replicas, domains, challenges, certificates] = await Promise.all([
    reader.list('Project'),
    reader.list('Service'),
    reader.list('Replica'),
    reader.list('Domain'),
    reader.list('Challenge'),
    reader.list('Certificate'),
  ]);
  const ids = new Set([
    ...services.flatMap(({ status }) => status.promoted ?? []),
    ...replicas.map(({ spec }) => spec.deployment_id),
  ]);
  const deployments = await Promise.all([...ids].map((id) => reader.get('Deployment', id)));
  return {
    ...{ projects, services, replicas, domains, challenges, certificates },
    deployments: deployments.filter((row) => row !== undefined),
  };
}
