/**
 * The data plane in memory: workers and a bridge that outlive the control plane, serve what they acknowledged last and
 * acknowledge when it suits them. What is applied and who is idle is reckoned by the real bookkeeping of the ingress.
 */
import type { CertificatePair, Ingress, Snapshot, TrafficTotals, WorkerState } from '../../ingress/index.ts';
import { routedReplicas } from '../../ingress/routed.ts';
import { createRevisions, type Revisions, type Serving } from '../../ingress/supervisor/revisions.ts';
import type { Clock } from '../../specs/clock.ts';

/** How long things take, in milliseconds; asked each time. */
export interface Pace {
  /** Putting a snapshot on disk. */
  write: () => number;
  /** From a snapshot to its acknowledgement. */
  acknowledge: () => number;
  /** What is left of a request of a replica that is no longer routed; 0: there is none. */
  request: () => number;
  /** From the end of a process to the next one that serves what is on disk. */
  boot: () => number;
}

interface Member {
  readonly role: 'worker' | 'bridge';
  readonly slot: number;
  /** Counts its processes. */
  pid: number;
  /** What it serves; undefined until it has something. */
  serves: Snapshot | undefined;
  /** What it was sent and has not acknowledged. */
  sent: Snapshot | undefined;
  busy: Set<string>;
  stalled: boolean;
}

export class FakeIngress {
  /** What the workers have counted, as the test says. */
  traffic: TrafficTotals = { replicas: {}, services: {} };
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #members: readonly Member[];
  #saved: Snapshot | undefined;
  /** On its way to the disk. */
  #written: Snapshot | undefined;
  readonly #certificates = new Map<string, CertificatePair>();
  #controlPlane: { revisions: Revisions; listeners: Set<() => void> } | undefined;

  constructor(clock: Clock, pace: Pace, workers = 2) {
    this.#clock = clock;
    this.#pace = pace;
    this.#members = [...Array(workers).keys(), -1].map((slot) => ({
      ...{ role: slot < 0 ? 'bridge' : 'worker', slot, pid: 1, serves: undefined, sent: undefined },
      ...{ busy: new Set<string>(), stalled: false },
    }));
  }

  /** The port, for a control plane that has just started; the one before is gone. */
  attach(): Ingress {
    const revisions = createRevisions(this.#saved);
    const listeners = new Set<() => void>();
    for (const member of this.#members) revisions.saw(revisionOf(member));
    this.#controlPlane = { revisions, listeners };
    let writing: Promise<unknown> = Promise.resolve();
    return {
      start: () => {
        this.#offerAll();
        return Promise.resolve();
      },
      hasCertificate: (id) => this.#certificates.has(id),
      installCertificate: (id, pair) => {
        this.#certificates.set(id, pair);
        return Promise.resolve();
      },
      publish: (routes) => {
        const done = writing.then(() => this.#publish(routes, revisions));
        writing = done;
        return done;
      },
      applied: () => revisions.appliedBy(this.#serving()),
      isRouted: (replicaId) => revisions.isRouted(replicaId, this.#serving('worker')),
      isIdle: (replicaId) => revisions.isIdle(replicaId, this.#serving('worker')),
      workers: () => this.#of('worker').map((member) => stateOf(member)),
      traffic: () => structuredClone(this.traffic),
      onChange(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      close: () => Promise.resolve(),
    };
  }

  // The world, as the test drives and sees it.

  /** The control plane is gone; the members serve on. */
  detach(): void {
    this.#controlPlane = undefined;
    this.#written = undefined;
  }

  /** What each member serves now, the bridge too; undefined for one that has just started. */
  served(): (Snapshot | undefined)[] {
    return this.#members.map(({ serves }) => serves);
  }

  /** Whether a worker sends new requests to this replica, or will by what was published last. */
  routes(replicaId: string): boolean {
    const known = [this.#written, ...this.#of('worker').map(({ serves }) => serves)];
    return known.some((snapshot) => snapshot && routedReplicas(snapshot).has(replicaId));
  }

  /** Where the bridge leads, by the path of a socket. */
  bridgedTo(socket: string): string | undefined {
    const [bridge] = this.#of('bridge');
    return Object.values(bridge?.serves?.bridges ?? {}).find((entry) => entry.socket === socket)?.address;
  }

  /** A member acknowledges nothing for a while. @param slot -1 is the bridge */
  stall(slot: number, ms: number): void {
    const member = this.#members.find((other) => other.slot === slot);
    if (!member) return;
    member.stalled = true;
    this.#clock.after(ms, () => (member.stalled = false));
  }

  /** A member dies; another process takes its place. @param slot -1 is the bridge */
  kill(slot: number): void {
    const member = this.#members.find((other) => other.slot === slot);
    if (!member) return;
    const pid = member.pid + 1;
    Object.assign(member, { pid, serves: undefined, sent: undefined, busy: new Set(), stalled: false });
    this.#tell();
    this.#clock.after(this.#pace.boot(), () => {
      if (member.pid !== pid) return;
      member.serves ??= this.#saved;
      this.#offer(member);
      this.#tell();
    });
  }

  // Private

  async #publish(routes: Omit<Snapshot, 'revision'>, revisions: Revisions): Promise<number> {
    const snapshot: Snapshot = structuredClone({ ...routes, revision: revisions.next() });
    revisions.saw(snapshot.revision);
    this.#written = snapshot;
    await this.#write(revisions);
    this.#saved = snapshot;
    await this.#write(revisions);
    revisions.add(snapshot);
    this.#offerAll();
    this.#tell();
    return snapshot.revision;
  }

  /** Takes its time; never ends for a control plane that is gone meanwhile. */
  #write(revisions: Revisions): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(this.#pace.write(), () => {
        if (this.#controlPlane?.revisions === revisions) resolve();
      });
    });
  }

  #offerAll(): void {
    for (const member of this.#members) this.#offer(member);
  }

  /** Sends the newest, unless it has it or owes an acknowledgement. */
  #offer(member: Member): void {
    const latest = this.#controlPlane?.revisions.latest();
    if (!latest || member.sent || latest.revision <= revisionOf(member)) return;
    const { pid } = member;
    member.sent = latest;
    const acknowledge = (): void => {
      if (member.pid !== pid) return;
      if (member.stalled) this.#clock.after(200, acknowledge);
      else this.#acknowledge(member, latest);
    };
    this.#clock.after(this.#pace.acknowledge(), acknowledge);
  }

  #acknowledge(member: Member, snapshot: Snapshot): void {
    const before = member.serves ? routedReplicas(member.serves) : [];
    const now = routedReplicas(snapshot);
    member.serves = snapshot;
    member.sent = undefined;
    for (const id of before) if (!now.has(id)) this.#finishRequests(member, id);
    this.#offer(member);
    this.#controlPlane?.revisions.prune(this.#serving());
    this.#tell();
  }

  #finishRequests(member: Member, replicaId: string): void {
    const left = member.role === 'worker' ? this.#pace.request() : 0;
    if (left === 0) return;
    const { busy } = member;
    busy.add(replicaId);
    this.#clock.after(left, () => {
      if (busy.delete(replicaId)) this.#tell();
    });
  }

  #of(role: Member['role']): Member[] {
    return this.#members.filter((member) => member.role === role);
  }

  #serving(role?: Member['role']): Serving[] {
    const members = role === undefined ? this.#members : this.#of(role);
    return members.map((member) => ({
      ...{ revision: revisionOf(member), sent: member.sent?.revision ?? 0, busy: member.busy },
    }));
  }

  #tell(): void {
    for (const listener of this.#controlPlane?.listeners ?? []) listener();
  }
}

const revisionOf = ({ serves }: Member): number => serves?.revision ?? 0;
const stateOf = (member: Member): WorkerState => {
  return { slot: member.slot, pid: member.pid, revision: revisionOf(member) };
};
