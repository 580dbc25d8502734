/**
 * Builds the whole route set from what is promoted. Pure.
 *
 * A replica is routed while its deployment is promoted, it is of the epoch that was promoted, it is ready, and nobody
 * asked that it go or be stopped. A replica that is only being gated is bridged, so that the gate can reach it, and never routed. A
 * hostname leads to a service once it is verified.
 */
import { acmeChallengePath, pairId } from '../../specs/certificate.ts';
import { challengePath } from '../../specs/domain.ts';
import { durationMs } from '../../specs/duration.ts';
import type { Row } from '../../specs/index.ts';
import type { Reason, ReplicaReason } from '../../specs/reasons.ts';
import { stopFirstDrainMs } from '../../specs/stop-first.ts';
import type { BridgeEntry, ParkLimits, ServiceRoute, Snapshot, Upstream } from '../../ingress/index.ts';
import type { Observed } from './observe.ts';

export interface RouteSettings {
  /** Services are served at `<service>.<project>.<this>`; null: nowhere. */
  appsDomain: string | null;
  control: Snapshot['control'];
  /** Where a replica's socket is. */
  upstreamOf: (replicaId: string, listen: 'tcp' | 'socket') => Upstream;
}

/**
 * What waits while a stop-first release is under way, per service and ingress worker. Browsers and most clients give up after
 * a minute or two; what cannot wait so long is better told at once.
 */
export const parkLimits: ParkLimits = { requests: 5_000, bytes: 64 * 1024 * 1024, ms: 120_000 };

/**
 * What waits for a replica that died, or was taken away, and is being started again: shorter, for what crashes may go on
 * crashing.
 */
export const returnLimits: ParkLimits = { ...parkLimits, ms: 10_000 };

/**
 * Deaths in a row after which nobody waits any longer. What answered until it died may well do so again: it is waited for while
 * its backoff (replica/plan.ts) fits into the wait, which are 8 s at last. What never did had its three tries, in 3 s.
 */
const mostCrashes = { served: 5, silent: 3 };

export type RouteSet = Omit<Snapshot, 'revision'>;

export function plan(observed: Observed, settings: RouteSettings): RouteSet {
  const projects = new Map(observed.projects.map((row) => [row.id, row]));
  const deployments = new Map(observed.deployments.map((row) => [row.id, row]));
  const services: Record<string, ServiceRoute> = {};
  const upstreams: Record<string, Upstream> = {};

  const byDeployment = Map.groupBy(observed.replicas, ({ spec }) => spec.deployment_id);
  for (const service of observed.services) {
    const project = projects.get(service.owner ?? '');
    // Nothing new reaches one that is being deleted, and its name is free at once; requests under way go on, as in a stop,
    // for its replicas stay bridged until they have drained.
    if (!project || project.deleted_at !== null || service.deleted_at !== null) continue;
    const deployment = deployments.get(service.status.promoted ?? '');
    const routed = deployment ? routable(service, deployment, byDeployment.get(deployment.id) ?? []) : [];
    services[service.id] = {
      name: service.name,
      project: project.name,
      running: service.spec.rollout.running,
      replicas: routed.map(({ id }) => id),
      drain_ms: Math.min(
        durationMs(service.spec.release.drain),
        service.status.parked_since === null ? Infinity : stopFirstDrainMs,
      ),
      park: parkOf(service, deployment, routed, byDeployment),
    };
    for (const { id } of routed)
      upstreams[id] = settings.upstreamOf(id, deployment?.spec.workload.listen ?? 'tcp');
  }
  const routed = hosts(observed, services, settings.appsDomain);
  return {
    hosts: routed,
    services,
    answers: answers(observed),
    certificates: certificates(observed, routed, settings.control),
    upstreams,
    bridges: bridges(observed.replicas, deployments, settings),
    control: settings.control,
  };
}

function parkOf(
  service: Row<'Service'>,
  deployment: Row<'Deployment'> | undefined,
  routed: readonly Row<'Replica'>[],
  byDeployment: ReadonlyMap<string, readonly Row<'Replica'>[]>,
): ParkLimits | null {
  if (mayWait(service, routed, byDeployment)) return parkLimits;
  if (routed.length > 0 || !deployment || !service.spec.rollout.running) return null;
  const own = byDeployment.get(deployment.id) ?? [];
  return own.some((replica) => isReturning(replica, deployment)) ? returnLimits : null;
}

/** It belongs to what serves, and is about to serve again, as far as one can know. */
function isReturning(
  { spec, status, deleted_at: deleted }: Row<'Replica'>,
  { status: { epoch }, spec: { stopped } }: Row<'Deployment'>,
): boolean {
  if (stopped || deleted !== null || spec.paused_at !== undefined || spec.epoch !== epoch) return false;
  const reason = status.conditions.find(({ type }) => type === 'Ready')?.reason;
  const most = status.served === true ? mostCrashes.served : mostCrashes.silent;
  return status.crashes <= most && reasonsToWait.has(reason);
}

const reasonsToWait: ReadonlySet<string | undefined> = new Set<Reason<typeof ReplicaReason>>([
  ...(['Creating', 'Starting', 'Exited', 'OutOfMemory', 'BackOff'] as const),
]);

/**
 * While a stop-first release is under way; and while one that is watched has no replica: it is either restarted, or what was
 * stopped for it is started again.
 */
function mayWait(
  { status: { parked_since: since, bake } }: Row<'Service'>,
  routed: readonly Row<'Replica'>[],
  byDeployment: ReadonlyMap<string, readonly Row<'Replica'>[]>,
): boolean {
  if (since !== null || bake === null || routed.length > 0) return since !== null;
  return byDeployment.get(bake.previous)?.some(({ spec }) => spec.paused_at !== undefined) ?? false;
}

/** Of what is routed only. A domain that is not verified is answered its challenge, and nothing else. */
function hosts(
  { domains }: Observed,
  services: Record<string, ServiceRoute>,
  appsDomain: string | null,
): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const { spec, status, deleted_at: deleted } of domains)
    if (status.phase === 'Verified' && deleted === null && services[spec.service_id] !== undefined)
      ids[spec.hostname] = spec.service_id;
  // Last: names that the node itself gives are nobody's domain.
  for (const [id, { name, project }] of Object.entries(services))
    if (appsDomain !== null) ids[`${name}.${project}.${appsDomain}`] = id;
  return ids;
}

/** What the ingress answers by itself: challenges of ownership, also of domains that are verified already, and of ACME. */
function answers({ domains, challenges }: Observed): Record<string, Record<string, string>> {
  const texts: Record<string, Record<string, string>> = {};
  const add = (hostname: string, path: string, text: string): void => {
    (texts[hostname] ??= {})[path] = text;
  };
  for (const { spec, deleted_at: deleted } of domains)
    if (deleted === null) add(spec.hostname, challengePath(spec.token), spec.token);
  for (const { spec, status, deleted_at: deleted } of challenges) {
    const isOpen = status.phase === 'Pending' || status.phase === 'Presented';
    if (isOpen && deleted === null) add(spec.hostname, acmeChallengePath(spec.token), spec.key_authorization);
  }
  return texts;
}

/** Hostname → pair of the certificate of whoever is routed there. One whose time is over is better than none: it is served on. */
function certificates(
  { certificates: rows }: Observed,
  hosts: Record<string, string>,
  control: Snapshot['control'],
): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const { id, spec, status, deleted_at: deleted } of rows) {
    if (deleted !== null || status.chain === null || status.key_version === null) continue;
    const { hostname, service_id: serviceId } = spec;
    const own = serviceId === null ? hostname === control?.host : hosts[hostname] === serviceId;
    if (own) pairs[hostname] = pairId(id, status.key_version);
  }
  return pairs;
}

function routable(
  service: Row<'Service'>,
  deployment: Row<'Deployment'>,
  replicas: Row<'Replica'>[],
): Row<'Replica'>[] {
  if (!service.spec.rollout.running || deployment.spec.stopped) return [];
  return replicas
    .filter(
      ({ spec, status, deleted_at: deleted }) =>
        spec.epoch === deployment.status.epoch &&
        spec.paused_at === undefined &&
        status.phase === 'Ready' &&
        deleted === null,
    )
    .sort((a, b) => a.spec.index - b.spec.index);
}

function bridges(
  replicas: Row<'Replica'>[],
  deployments: Map<string, Row<'Deployment'>>,
  settings: RouteSettings,
): Record<string, BridgeEntry> {
  const entries: Record<string, BridgeEntry> = {};
  for (const replica of replicas) {
    const workload = deployments.get(replica.spec.deployment_id)?.spec.workload;
    if (workload?.listen !== 'tcp') continue;
    const { socket } = settings.upstreamOf(replica.id, 'tcp');
    entries[replica.id] = { socket, address: replica.spec.address, port: workload.port };
  }
  return entries;
}
