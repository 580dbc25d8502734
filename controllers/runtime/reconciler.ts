/**
 * The contract of a controller. A pass takes a key, reads the world, acts and writes status. It is idempotent, short,
 * and knows nothing of why it was woken. Waiting is `requeueAfter` or an event, never a sleep.
 */
/**
 * What a controller may be for: a stored kind, or something without rows, of which there is one. Registries and deploy keys
 * have none: what is desired of them is all there is.
 */
export const controllerKinds = [
  ...(['Project', 'Service', 'Deployment', 'Replica', 'Upload', 'Volume', 'Domain', 'Job', 'Run'] as const),
  ...(['Certificate', 'Order', 'Challenge'] as const),
  ...(['RouteSet', 'CertificateSet', 'Gc'] as const),
];
export type ControllerKind = (typeof controllerKinds)[number];

export interface Result {
  /** Milliseconds until the next pass, unless something wakes it earlier. */
  requeueAfter?: number;
}

export interface PassContext {
  /**
   * Aborts when the pass is over its deadline or the node stops. A result that comes later is ignored; a pass that has
   * several effects checks it (`signal.throwIfAborted()`) before each.
   */
  signal: AbortSignal;
}

/** Throws to be tried again with backoff (per key and generation). */
export type Reconcile = (id: string, context: PassContext) => Promise<Result | undefined>;

export interface ControllerSpec {
  kind: ControllerKind;
  reconcile: Reconcile;
  /** Passes at once over different keys. */
  concurrency: number;
  /** Milliseconds a pass may take before it is abandoned. */
  deadline: number;
  /**
   * Milliseconds for which an abandoned pass that does not end still keeps its key from being tried again. Default: one
   * more deadline. Whatever outlives that is taken to be stuck on a promise that never settles.
   */
  grace?: number;
  /** The only key, for a kind that has no rows. */
  singleton?: string;
}

/** Wakes keys of any controller. */
export interface Waker {
  wake(kind: ControllerKind, id: string): void;
}
