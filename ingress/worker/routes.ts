/** The snapshot as a worker looks things up in it: compiled aside, then swapped whole by one assignment. */
import { routedReplicas } from '../routed.ts';
import { olderRoute, type ParkLimits, type Snapshot, type Upstream } from '../snapshot.ts';

/** Id of the control plane's API among the services, which have ids with a prefix. */
const control = 'control';

export interface Route {
  /** Of the service. */
  id: string;
  running: boolean;
  replicas: readonly string[];
  drain_ms: number;
  park: ParkLimits | null;
}

export interface Routes {
  revision: number;
  /** @param host canonical */
  find(host: string): Route | undefined;
  service(id: string): Route | undefined;
  services(): Iterable<Route>;
  /** What is answered to a GET without asking any service. @param target origin-form; only ever equal as a whole */
  answer(host: string, target: string): string | undefined;
  /** Id of the certificate of a host. */
  certificate(host: string): string | undefined;
  upstream(replica: string): Upstream | undefined;
  /** Whether a new request may go to the replica. */
  routed(replica: string): boolean;
}

/** Before the first snapshot: knows no host, but not because there is none. */
export const noRoutes: Routes = {
  revision: 0,
  find: () => undefined,
  service: () => undefined,
  services: () => [],
  answer: () => undefined,
  certificate: () => undefined,
  upstream: () => undefined,
  routed: () => false,
};

export function compileRoutes(snapshot: Snapshot): Routes {
  const routes = new Map<string, Route>();
  for (const [id, { running, replicas, drain_ms, park }] of Object.entries(snapshot.services))
    routes.set(id, { id, running, replicas, drain_ms, park });
  const hosts = new Map<string, Route>();
  for (const [host, id] of Object.entries(snapshot.hosts)) {
    const route = routes.get(id);
    if (route !== undefined) hosts.set(host, route);
  }
  const answers = new Map(
    Object.entries(snapshot.answers ?? {}).map(([host, texts]) => [host, new Map(Object.entries(texts))]),
  );
  const certificates = new Map(Object.entries(snapshot.certificates ?? {}));
  const upstreams = new Map(Object.entries(snapshot.upstreams));
  const routed = routedReplicas(snapshot);
  if (snapshot.control !== null) {
    const { host } = snapshot.control;
    hosts.set(host, { id: control, running: true, replicas: [control], ...olderRoute });
    upstreams.set(control, { socket: snapshot.control.socket, via: 'node' });
    routed.add(control);
  }
  return {
    revision: snapshot.revision,
    find: (host) => hosts.get(host),
    service: (id) => routes.get(id),
    services: () => routes.values(),
    certificate: (host) => certificates.get(host),
    answer: (host, target) => answers.get(host)?.get(target),
    upstream: (replica) => upstreams.get(replica),
    routed: (replica) => routed.has(replica),
  };
}
