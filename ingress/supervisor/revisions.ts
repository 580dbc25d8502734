/** The snapshots that some member may still serve by, and what follows from who serves which. */
import { routedReplicas } from '../routed.ts';
import type { Snapshot } from '../snapshot.ts';

/** What is known of a living member. */
export interface Serving {
  /** 0: unknown, or none yet. */
  revision: number;
  /** What it was sent and will serve at any moment now; 0: nothing. */
  sent: number;
  busy: ReadonlySet<string>;
}

export interface Revisions {
  /** The newest that was published, or found on disk. */
  latest(): Snapshot | undefined;
  /** One more than any seen. */
  next(): number;
  /** A member serves this one: later ones must be above it. */
  saw(revision: number): void;
  add(snapshot: Snapshot): void;
  /** The newest that all of them serve; undefined if there is none, or it is not known which. */
  appliedBy(members: readonly Serving[]): Snapshot | undefined;
  /** Whether one of them routes to the replica, or will by the latest; also when that is not known. */
  isRouted(replicaId: string, members: readonly Serving[]): boolean;
  /** Whether none of them routes to the replica, nor has a request of it under way. */
  isIdle(replicaId: string, members: readonly Serving[]): boolean;
  /** Ids of the certificates that a member may still serve with, or will by the latest. */
  certificates(): Set<string>;
  /** Forgets what no member serves. */
  prune(members: readonly Serving[]): void;
}

interface Entry {
  snapshot: Snapshot;
  routed: ReadonlySet<string>;
}

export function createRevisions(first: Snapshot | undefined): Revisions {
  const entries = new Map<number, Entry>();
  let latest = first;
  let highest = first?.revision ?? 0;
  const add = (snapshot: Snapshot): void => {
    latest = snapshot;
    highest = Math.max(highest, snapshot.revision);
    entries.set(snapshot.revision, { snapshot, routed: routedReplicas(snapshot) });
  };
  const routes = (replicaId: string, revision: number): boolean =>
    entries.get(revision)?.routed.has(replicaId) !== false;
  const isRouted: Revisions['isRouted'] = (replicaId, members) =>
    (latest !== undefined && routes(replicaId, latest.revision)) ||
    members.some(
      ({ revision, sent }) => routes(replicaId, revision) || (sent !== 0 && routes(replicaId, sent)),
    );
  if (first !== undefined) add(first);
  return {
    latest: () => latest,
    next: () => highest + 1,
    saw: (revision) => (highest = Math.max(highest, revision)),
    add,
    appliedBy: (members) =>
      members.length === 0
        ? undefined
        : entries.get(Math.min(...members.map(({ revision }) => revision)))?.snapshot,
    isRouted,
    certificates: () =>
      new Set([...entries.values()].flatMap(({ snapshot }) => Object.values(snapshot.certificates ?? {}))),
    isIdle: (replicaId, members) =>
      !isRouted(replicaId, members) && !members.some(({ busy }) => busy.has(replicaId)),
    prune: (members) => {
      const oldest = Math.min(latest?.revision ?? 0, ...members.map(({ revision }) => revision));
      for (const revision of entries.keys()) if (revision < oldest) entries.delete(revision);
    },
  };
}
