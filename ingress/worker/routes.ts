/** The snapshot as a worker looks things up in it: compiled aside, then swapped whole by one assignment. */
import { routedReplicas } from '../routed.ts';
import type { Snapshot, Upstream } from '../snapshot.ts';

/** Id of the control plane's API among the services, which have ids with a prefix. */
const control = 'control';

export interface Route {
  /** Of the service. */
  id: string;
  running: boolean;
  replicas: readonly string[];
}

export interface Routes {
  revision: number;
  /** @param host canonical */
  find(host: string): Route | undefined;
  upstream(replica: string): Upstream | undefined;
  /** Whether a new request may go to the replica. */
  routed(replica: string): boolean;
}

/** Before the first snapshot: knows no host, but not because there is none. */
export const noRoutes: Routes = {
  revision: 0,
  find: () => undefined,
  upstream: () => undefined,
  routed: () => false,
};

export function compileRoutes(snapshot: Snapshot): Routes {
  const routes = new Map<string, Route>();
  for (const [id, { running, replicas }] of Object.entries(snapshot.services))
    routes.set(id, { id, running, replicas });
  const hosts = new Map<string, Route>();
  for (const [host, id] of Object.entries(snapshot.hosts)) {
    const route = routes.get(id);
    if (route !== undefined) hosts.set(host, route);
  }
  const upstreams = new Map(Object.entries(snapshot.upstreams));
  const routed = routedReplicas(snapshot);
  if (snapshot.control !== null) {
    hosts.set(snapshot.control.host, { id: control, running: true, replicas: [control] });
    upstreams.set(control, { socket: snapshot.control.socket, via: 'bridged' });
    routed.add(control);
  }
  return {
    revision: snapshot.revision,
    find: (host) => hosts.get(host),
    upstream: (replica) => upstreams.get(replica),
    routed: (replica) => routed.has(replica),
  };
}
