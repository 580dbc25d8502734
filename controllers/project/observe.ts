/** Reads everything a pass over one project decides on. Reads only. */
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';
import type { Engine, NetworkState } from '../engine/engine.ts';

export interface Observed {
  networks: NetworkState[];
  /** CIDRs that a new network must not overlap with. Read only while the project has no range of its own. */
  taken: string[];
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
  const networks = await engine.listNetworks();
  if (row.status.subnet !== null) return { networks, taken: [] };
  const [projects, routes] = await Promise.all([store.list('Project'), hostRoutes()]);
  const claimed = projects.flatMap((project) => project.status.subnet ?? []);
  return { networks, taken: [...claimed, ...routes, ...networks.flatMap((network) => network.subnets)] };
}
