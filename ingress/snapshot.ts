/** The route set: one immutable value that says everything an ingress worker and the bridge need to know. */

/** How to reach a replica. */
export interface Upstream {
  /** Path of its Unix socket. */
  socket: string;
  /**
   * `bridged`: the bridge made the socket, in a place only we reach. `direct`: the workload made it, in a directory of
   * its own: open it without following links (ingress/dial.ts).
   */
  via: 'bridged' | 'direct';
}

export interface ServiceRoute {
  /** For error pages and logs. */
  name: string;
  project: string;
  /** False after `svc stop`. */
  running: boolean;
  /** Ids of the replicas to serve from; empty: 503. */
  replicas: readonly string[];
}

export interface BridgeEntry {
  /** Path to listen on. */
  socket: string;
  address: string;
  port: number;
}

export interface Snapshot {
  /** Rises with every snapshot of a data directory, over restarts too. */
  revision: number;
  /** Lower-case hostname without port → id of a service. */
  hosts: Readonly<Record<string, string>>;
  services: Readonly<Record<string, ServiceRoute>>;
  /** Replica id → its upstream. Holds every replica that a service names. */
  upstreams: Readonly<Record<string, Upstream>>;
  /** Replica id → what the bridge listens on and connects to. Holds replicas that are only being gated, too. */
  bridges: Readonly<Record<string, BridgeEntry>>;
  /** The control domain, and the socket of the API. */
  control: { host: string; socket: string } | null;
}
