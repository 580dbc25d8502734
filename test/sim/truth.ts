/**
 * What is so in the simulated world, whatever the controllers believe: which workloads answer, which replicas passed the
 * gate, which services were left in peace. The invariants compare the controllers' deeds with this.
 */
import type { Row } from '../../specs/index.ts';
import type { ReplicaSpec } from '../../specs/replica.ts';
import type { FakeContainer, Program } from '../support/fake-container.ts';
import type { FakeEngine } from '../support/fake-engine.ts';
import type { Nature } from './history.ts';

export const programs: Record<Nature, Program> = {
  ok: {},
  slow: {},
  bad: {},
  exits: { prints: ['cannot find the database'], exits: 3 },
  'eats memory': { outOfMemory: true },
  refused: { refuses: 'exec: "serve": executable file not found' },
  tires: {},
  errs: {},
  stubborn: { ignoresTerm: true },
};

/** Milliseconds that a slow workload takes from its start to its first good answer. */
const slowStart = 40_000;

export class Truth {
  readonly #engine: FakeEngine;
  readonly #now: () => number;
  /** By deployment. */
  readonly natures = new Map<string, Nature>();
  /** Every deployment that there ever was. */
  readonly deployments = new Map<string, Row<'Deployment'>>();
  /** Every replica that there ever was. */
  readonly replicas = new Map<string, Row<'Replica'>>();
  /** Replica id → starts of its container in which it gave a good answer. */
  readonly #answered = new Map<string, Set<string>>();
  /** Service → the fewest replicas that it ever had, of those that were scaled. */
  readonly #fewest = new Map<string, number>();

  constructor(engine: FakeEngine, now: () => number) {
    this.#engine = engine;
    this.#now = now;
  }

  containers(): FakeContainer[] {
    return this.#engine.names().map((name) => this.#engine.container(name));
  }

  /** The container that has this address now. */
  at(address: string): FakeContainer | undefined {
    return this.containers().find(
      ({ isRunning, isPaused, networks }) =>
        isRunning && !isPaused && networks.some((network) => network.address === address),
    );
  }

  /** Asks a workload for its health. A good answer is remembered. */
  ask(container: FakeContainer): boolean {
    const { labels, startedAt } = container.inspect();
    const id = labels['svc.replica'] ?? '';
    if (startedAt === null || !this.#isWell(id, startedAt)) return false;
    this.#answered.set(id, (this.#answered.get(id) ?? new Set()).add(startedAt));
    return true;
  }

  /** Whether it runs, and gave a good answer since it was started. */
  serves(replicaId: string): boolean {
    const container = this.containers().find(({ spec }) => spec.labels['svc.replica'] === replicaId);
    const answers = container?.isRunning === true && !container.isPaused && container.networks.length > 0;
    const startedAt = answers ? container.inspect().startedAt : null;
    return startedAt !== null && this.#answered.get(replicaId)?.has(startedAt) === true;
  }

  /** Whether every second answer of it is a bad one. */
  errs(replicaId: string): boolean {
    return this.#natureOf(this.replicas.get(replicaId)?.spec.deployment_id ?? '') === 'errs';
  }

  /** Somebody wants another number of replicas. */
  scaled(serviceId: string, before: number, after: number): void {
    this.#fewest.set(serviceId, Math.min(before, after, this.#fewest.get(serviceId) ?? Infinity));
  }

  /**
   * Whether as many replicas of this epoch as its service has, or had at the fewest, each gave a good answer at some time.
   * @param replicas how many it has now
   */
  passedGate(
    { deployment_id: deploymentId, service_id: service, epoch }: ReplicaSpec,
    replicas: number,
  ): boolean {
    const answered = [...this.replicas.values()].filter(
      ({ id, spec }) => spec.deployment_id === deploymentId && spec.epoch === epoch && this.#answered.has(id),
    );
    const count = Math.min(replicas, this.#fewest.get(service) ?? Infinity);
    return new Set(answered.map(({ spec }) => spec.index)).size >= count;
  }

  /** That of its image: of the push that it goes back to. */
  #natureOf(deploymentId: string): Nature | undefined {
    const reused = this.deployments.get(deploymentId)?.spec.reuse ?? null;
    return reused === null ? this.natures.get(deploymentId) : this.#natureOf(reused);
  }

  #isWell(replicaId: string, startedAt: string): boolean {
    const spec = this.replicas.get(replicaId)?.spec;
    const deploymentId = spec?.deployment_id ?? '';
    if (this.deployments.get(deploymentId)?.spec.workload.env['MODE'] === 'broken') return false;
    switch (this.#natureOf(deploymentId)) {
      case 'ok':
      case 'errs':
      case 'stubborn':
        return true;
      case 'slow':
        return this.#now() - Date.parse(startedAt) >= slowStart;
      case 'tires':
        return (spec?.epoch ?? 0) % 2 === 0;
      default:
        return false;
    }
  }
}
