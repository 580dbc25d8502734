/** Reads everything a pass over one project decides on. Reads only. */
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';
import type { Engine, NetworkState } from '../engine/engine.ts';

export interface Observed {
  networks: NetworkState[];
  /** CIDRs that a new network must not overlap with. Read only while the project has no range of its own. */
  taken: string[];
  /** What still belongs to it. Read only while it is being deleted. */
  services: Row<'Service'>[];
}

export interface ObserveDeps {
  store: Store;
  engine: Pick<Engine, 'listNetworks'>;
  /** CIDRs of the host's routes. */
  hostRoutes: () => Promise<string[]>;
}

export async function observe(
  row: Row<'Project'>,
  { store, engine, hostRoutes }: ObserveDeps,
): Promise<Observed> {
  if (row.deleted_at !== null) {
    const services = await store.list('Service', { owner: row.id });
    // An engine that is away keeps nothing waiting that waits for its services anyway.
    return { networks: services.length > 0 ? [] : await engine.listNetworks(), taken: [], services };
  }
  const networks = await engine.listNetworks();
  if (row.status.subnet !== null) return { networks, taken: [], services: [] };
  const [projects, routes] = await Promise.all([store.list('Project'), hostRoutes()]);
  const claimed = projects.flatMap((project) => project.status.subnet ?? []);
  const taken = [...claimed, ...routes, ...networks.flatMap((network) => network.subnets)];
  return { networks, taken, services: [] };
}
