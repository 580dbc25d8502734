/** Reads everything that routing follows from. Reads only. */
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';

export interface Observed {
  projects: Row<'Project'>[];
  services: Row<'Service'>[];
  /** Promoted deployments. */
  deployments: Row<'Deployment'>[];
  replicas: Row<'Replica'>[];
}

export interface ObserveDeps {
  store: Store;
}

export async function observe({ store }: ObserveDeps): Promise<Observed> {
  const [projects, services, replicas] = await Promise.all([
    store.list('Project'),
    store.list('Service'),
    store.list('Replica'),
  ]);
  const ids = new Set([
    ...services.flatMap(({ status }) => status.promoted ?? []),
    ...replicas.map(({ spec }) => spec.deployment_id),
  ]);
  const deployments = await Promise.all([...ids].map((id) => store.get('Deployment', id)));
  return { projects, services, deployments: deployments.filter((row) => row !== undefined), replicas };
}
