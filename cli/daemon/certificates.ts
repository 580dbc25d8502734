/** Puts the controllers of certificates together: the set of them, each certificate, its orders and their challenges. */
import type { Store } from '../../api/store/store.ts';
import type { Vault } from '../../api/store/vault.ts';
import type { Acme } from '../../controllers/acme/acme.ts';
import { certificateReconciler } from '../../controllers/certificate/reconcile.ts';
import type { Directories } from '../../controllers/certificate/plan.ts';
import { certificateSetReconciler } from '../../controllers/certificate-set/reconcile.ts';
import { challengeReconciler } from '../../controllers/challenge/reconcile.ts';
import { orderReconciler } from '../../controllers/order/reconcile.ts';
import type { Log } from '../../controllers/runtime/log.ts';
import type { ControllerSpec } from '../../controllers/runtime/reconciler.ts';
import { always, owned, owner, type Mapping } from '../../controllers/runtime/sources.ts';
import type { Ingress } from '../../ingress/index.ts';
import type { Clock, Random } from '../../specs/clock.ts';
import type { EventRecorder } from '../../specs/event.ts';

/** How certificates are asked for; no directories: not at all. */
export interface Issuing {
  acme: Acme;
  directories: Directories;
}

export interface CertificateWorld extends Issuing {
  store: Store;
  vault: Pick<Vault, 'open'>;
  ingress: Pick<Ingress, 'applied'>;
  clock: Clock;
  random: Random;
  log: Log;
  events: EventRecorder;
  appsDomain: string | null;
  controlDomain: string | null;
  /** Wakes the challenge when the ingress has something new to say. */
  awaitRoutes: (challengeId: string) => void;
}

/** The only key of the set of certificates. */
const setKey = 'all';

/** Few at once: authorities count, and a node that starts with thousands of hostnames has all the time of the world. */
const atOnce = 4;

export function certificateControllers(world: CertificateWorld): ControllerSpec[] {
  const { directories } = world;
  const set = certificateSetReconciler({ ...world, enabled: directories !== null });
  return [
    { kind: 'CertificateSet', reconcile: set, concurrency: 1, deadline: 60_000, singleton: setKey },
    { kind: 'Certificate', reconcile: certificateReconciler(world), concurrency: 4, deadline: 30_000 },
    { kind: 'Order', reconcile: orderReconciler(world), concurrency: atOnce, deadline: 150_000 },
    { kind: 'Challenge', reconcile: challengeReconciler(world), concurrency: atOnce, deadline: 150_000 },
  ];
}

export const certificateWakes: readonly Mapping[] = [
  { from: 'Project', to: 'CertificateSet', by: ['deleted'], ids: always(setKey) },
  { from: 'Service', to: 'CertificateSet', by: ['spec', 'deleted', 'purged'], ids: always(setKey) },
  { from: 'Domain', to: 'CertificateSet', by: ['spec', 'deleted', 'purged'], ids: always(setKey) },
  { from: 'Domain', to: 'Certificate', by: ['status'], ids: owned('Certificate') },
  { from: 'Order', to: 'Certificate', ids: owner },
  { from: 'Challenge', to: 'Order', by: ['status', 'purged'], ids: owner },
  { from: 'Challenge', to: 'RouteSet', ids: always('all') },
  { from: 'Certificate', to: 'RouteSet', by: ['status', 'deleted'], ids: always('all') },
];
