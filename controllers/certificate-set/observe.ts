/** Reads everything that follows which certificates there should be. Reads only. */
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';

export interface Observed {
  projects: Row<'Project'>[];
  services: Row<'Service'>[];
  domains: Row<'Domain'>[];
  certificates: Row<'Certificate'>[];
}

export interface ObserveDeps {
  store: Store;
}

export async function observe({ store }: ObserveDeps): Promise<Observed> {
  const [projects, services, domains, certificates] = await Promise.all([
    store.list('Project'),
    store.list('Service'),
    store.list('Domain'),
    store.list('Certificate'),
  ]);
  return { projects, services, domains, certificates };
}
