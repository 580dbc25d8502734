/** The route set: one immutable value that says everything an ingress worker and the bridge need to know. */

/** How to reach a replica. */
export interface Upstream {
  /** Path of its Unix socket. */
  socket: string;
  /**
   * `bridged`: the bridge made the socket, in a place only we reach, and says whether it reached the workload. `direct`: the
   * workload made it, in a directory of its own: open it without following links (ingress/dial.ts). `node`: the node itself
   * answers there, as its API does; in no snapshot.
   */
  via: 'bridged' | 'direct' | 'node';
}

export interface ServiceRoute {
  /** For error pages and logs. */
  name: string;
  project: string;
  /** False after `svc stop`. */
  running: boolean;
  /** Ids of the replicas to serve from; empty: 503, or what `park` says. */
  replicas: readonly string[];
  /** Milliseconds that what is under way with a replica may go on after the replica left. */
  drain_ms: number;
  /**
   * Set while a release stops the old replicas before it starts new ones, and while a replica that died is started again:
   * requests that no replica takes wait. They are let go, in order, by the snapshot that names replicas again; null again without replicas: 503.
   */
  park: ParkLimits | null;
}

/** What may wait, per service and worker; what is over it is answered 503. */
export interface ParkLimits {
  requests: number;
  /** Heads, and what is read ahead of bodies. */
  bytes: number;
  /** Milliseconds, for each request. */
  ms: number;
}

/** Of a service in a snapshot of a version that did not have them. */
export const olderRoute = { drain_ms: 30_000, park: null } as const;

export interface BridgeEntry {
  /** Path to listen on, and beside it (ingress/acknowledgement.ts). */
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
  /**
   * Lower-case hostname → path → text that workers answer themselves, before any route: proofs of who serves a hostname
   * (ownership challenges, and those of ACME's http-01). Absent in a snapshot of an older version.
   */
  answers?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * Lower-case hostname → id of the certificate that it is served with over TLS (ingress/certificate-files.ts). Absent in a
   * snapshot of an older version.
   */
  certificates?: Readonly<Record<string, string>>;
  /** Replica id → its upstream. Holds every replica that a service names. */
  upstreams: Readonly<Record<string, Upstream>>;
  /** Replica id → what the bridge listens on and connects to. Holds replicas that are only being gated, too. */
  bridges: Readonly<Record<string, BridgeEntry>>;
  /** The control domain, and the socket of the API. */
  control: { host: string; socket: string } | null;
}
