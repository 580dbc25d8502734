/** The data plane as a port: what the control plane asks of it. Types only. */
import type { CertificatePair } from './certificate-files.ts';
import type { Snapshot } from './snapshot.ts';
import type { TrafficTotals } from './traffic.ts';

export interface IngressOptions {
  /** Directory for the snapshot on disk (survives reboots); exists. */
  stateDir: string;
  /** Directory for sockets and the control socket (short path); exists. */
  runDir: string;
  /** `host:port` or `:port`, each. */
  listen: readonly string[];
  /** The same for TLS; none by default. */
  listenTls?: readonly string[];
  workers: number;
  log: IngressLog;
}

export interface IngressLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface WorkerState {
  slot: number;
  pid: number;
  /** Of the snapshot that it serves; 0 before the first. */
  revision: number;
}

/** Supervises the workers and the bridge: processes of their own that dial home and outlive the control plane. */
export interface Ingress {
  /**
   * Resolves once every worker listens. Workers and a bridge that an earlier control plane left behind are taken over.
   * Rejects when an address cannot be listened on, or the processes do not come up.
   */
  start(): Promise<void>;
  /** Whether the certificate of this id lies where the workers read it. If so it stays there until the next snapshot. */
  hasCertificate(id: string): boolean;
  /**
   * Puts a certificate and its key where the workers read them: into the run directory, for them alone. There it stays
   * until a snapshot is published that does not name it, and every worker serves that one. Idempotent.
   * @param id letters, digits, `_`, `-` and `.`; names this very pair for ever
   */
  installCertificate(id: string, pair: CertificatePair): Promise<void>;
  /**
   * Makes this the wanted route set: on disk first (atomically, fsynced), then to every worker and the bridge.
   * The revision is filled in. @returns it
   */
  publish(snapshot: Omit<Snapshot, 'revision'>): Promise<number>;
  /** The newest snapshot that every live worker and the bridge acknowledged. */
  applied(): Snapshot | undefined;
  /**
   * Whether a worker may send a new request to the replica, now or once it has what was published last. True where that is
   * not known. `applied` does not say so: while one worker is slow, another may be ahead of it.
   */
  isRouted(replicaId: string): boolean;
  /** True once no worker routes to the replica and none has a request of it under way. */
  isIdle(replicaId: string): boolean;
  workers(): WorkerState[];
  /**
   * What workers counted, those that ended too: a copy, at most a second old, and final for a replica that `isIdle`. It begins
   * anew with a control plane, but for what living workers know. What no snapshot names is forgotten after ten minutes.
   */
  traffic(): TrafficTotals;
  /** Calls back whenever `applied`, `isRouted`, `isIdle` or `workers` may answer differently. @returns unsubscribe */
  onChange(listener: () => void): () => void;
  /** Drains and ends the workers and the bridge (a clean stop; a killed control plane leaves them serving). */
  close(): Promise<void>;
}
