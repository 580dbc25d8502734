/** Reads everything a pass over one project decides on. Reads only. */
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';
import type { Engine, NetworkState } from '../engine/engine.ts';
import type { HostNetwork } from './host-network.ts';

export interface Observed {
  networks: NetworkState[];
  /** CIDRs that a new network must not overlap with. Read only while the project has no range or no network. */
  taken: string[];
  /** What still belongs to it. Read only while it is being deleted. */
  services: Row<'Service'>[];
  jobs: Row<'Job'>[];
}

export interface ObserveDeps {
  store: Store;
  engine: Pick<Engine, 'listNetworks'>;
  host: Pick<HostNetwork, 'routes'>;
}

export async function observe(row: Row<'Project'>, { store, engine, host }: ObserveDeps): Promise<Observed> {
  if (row.deleted_at !== null) {
    const [services, jobs] = await Promise.all([
      store.list('Service', { owner: row.id }),
      store.list('Job', { owner: row.id }),
    ]);
    // An engine that is away keeps nothing waiting that waits for what is in the project anyway.
    const isEmpty = services.length + jobs.length === 0;
    return { networks: isEmpty ? await engine.listNetworks() : [], taken: [], services, jobs };
  }
  const networks = await engine.listNetworks();
  const { subnet, network_name: name } = row.status;
  if (subnet !== null && networks.some((network) => network.name === name))
    return { networks, taken: [], services: [], jobs: [] };
  const [projects, routes] = await Promise.all([store.list('Project'), host.routes()]);
  const claimed = projects.flatMap((project) => project.status.subnet ?? []);
  const taken = [...claimed, ...routes, ...networks.flatMap((network) => network.subnets)];
  return { networks, taken, services: [], jobs: [] };
}
