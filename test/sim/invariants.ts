/**
 * What must hold at every moment, each asked at the event that could break it. It only looks: a violation is noted, because
 * whoever calls is a controller, and would take a throw for a fault of the world.
 */
import type { Store } from '../../api/store/store.ts';
import type { RouteSet } from '../../controllers/route-set/plan.ts';
import { isSettled, type DeploymentPhase } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import type { FakeContainer } from '../support/fake-container.ts';
import type { FakeEngine } from '../support/fake-engine.ts';
import type { FakeIngress } from '../support/fake-ingress.ts';
import type { ReplicaContainer } from '../../controllers/engine/engine.ts';
import { imageTag } from '../../controllers/engine/names.ts';
import { canonicalJson } from '../../specs/revision.ts';
import type { Secrets } from './secrets.ts';
import type { Truth } from './truth.ts';

export interface InvariantsDeps {
  store: Store;
  truth: Truth;
  engine: FakeEngine;
  secrets: Secrets;
  ingress: FakeIngress;
}

/** Ways that a deployment never takes. */
const never: Record<DeploymentPhase, readonly DeploymentPhase[]> = {
  Pending: ['Healthy', 'Inactive'],
  Building: ['Healthy', 'Inactive'],
  Starting: ['Pending', 'Building'],
  Healthy: ['Pending', 'Building', 'Failed'],
  Failed: ['Pending', 'Building', 'Starting', 'Healthy', 'Stopped', 'Inactive'],
  Stopped: ['Pending', 'Building', 'Healthy', 'Failed', 'Inactive'],
  Inactive: ['Pending', 'Building', 'Healthy', 'Failed', 'Stopped'],
};

function volumesOf({ spec }: FakeContainer): string[] {
  return spec.mounts.flatMap((mount) => ('volume' in mount ? [mount.volume] : []));
}

export class Invariants {
  readonly violations: string[] = [];
  readonly #deps: InvariantsDeps;
  /** Services that served with all replicas, and that nobody stopped or harmed since. */
  readonly #inPeace = new Set<string>();
  readonly #builds = new Set<string>();
  /** Deployments that failed and are not routed to. */
  readonly #away = new Set<string>();
  readonly #standingBy = new Set<string>();
  /** Of every deployment, as last seen. */
  readonly #phases = new Map<string, DeploymentPhase>();

  constructor(deps: InvariantsDeps) {
    this.#deps = deps;
    deps.store.onChange(({ kind, id, by }) => {
      if (kind === 'Replica' && by === 'spec') void this.#replicaMade(id);
      if (kind === 'Deployment' && by === 'spec') void this.#deploymentMade(id);
      if (by === 'purged') this.#purged(id);
      if (kind === 'Deployment' && by === 'status') void this.#deploymentChanged(id);
    });
  }

  /** Somebody stopped the service, or a workload of it died. */
  disturbed(serviceId: string): void {
    this.#inPeace.delete(serviceId);
  }

  /** A route set is about to be published. */
  async published(routes: RouteSet): Promise<void> {
    const { store } = this.#deps;
    for (const [id, { replicas }] of Object.entries(routes.services)) {
      const service = await store.get('Service', id);
      const promoted = await store.get('Deployment', service?.status.promoted ?? '');
      if (service) this.#serviceRouted(service, promoted, replicas);
      this.#failedStaysAway(id, replicas);
      for (const replica of replicas)
        if (!(replica in routes.upstreams)) this.#violated(`${replica} is routed and has no upstream`);
    }
  }

  /** A container is about to be made by a controller. */
  creating({ labels, env, ...rest }: ReplicaContainer): void {
    const { truth, secrets } = this.#deps;
    const id = labels['svc.replica'] ?? '';
    const deployment = truth.deployments.get(labels['svc.deployment'] ?? '');
    if (!deployment) return;
    const { workload } = deployment.spec;
    const frozen = secrets.frozen(deployment);
    const given = Object.fromEntries(Object.entries(env).filter(([name]) => !/^(PORT$|SVC_)/.test(name)));
    if (canonicalJson(given) !== canonicalJson({ ...workload.env, ...frozen }))
      this.#violated(`(10) ${id} does not run with the environment that its deployment froze`);
    if (Object.values(given).includes('')) this.#violated(`(10) ${id} runs with an empty value`);
    const shown = JSON.stringify({ labels, rest });
    if (secrets.values().some((value) => shown.includes(value)))
      this.#violated(`(10) the container of ${id} shows a secret outside its environment`);
  }

  /** A container is about to run: by a start of a controller, which may have given it up long ago. */
  starting(container: string): void {
    const { truth } = this.#deps;
    const all = truth.containers();
    const own = all.find(({ id }) => id === container);
    if (!own || own.isRunning) return;
    const data = volumesOf(own);
    const release = this.#releaseOf(own);
    for (const other of all) {
      const isShared = other.isRunning && volumesOf(other).some((name) => data.includes(name));
      if (isShared && this.#releaseOf(other) !== release)
        this.#violated(`(13) ${own.spec.name} starts while ${other.spec.name} writes to the same volume`);
    }
  }

  /** A container is about to be stopped or removed by a controller. */
  stopping(container: string): void {
    const { truth, ingress } = this.#deps;
    const found = truth.containers().find(({ id }) => id === container);
    const replica = found?.spec.labels['svc.replica'];
    if (replica !== undefined && ingress.routes(replica))
      this.#violated(`(3) the container of ${replica} is stopped while a worker routes to it`);
  }

  buildBegins(deploymentId: string): void {
    if (this.#builds.size > 0)
      this.#violated(`(6) the build of ${deploymentId} begins while another one is under way`);
    this.#builds.add(deploymentId);
  }

  buildOver(deploymentId: string): void {
    this.#builds.delete(deploymentId);
  }

  /** A request for health reached another replica than it was meant for. */
  strayed(replicaId: string, reached: string): void {
    this.#violated(`(5) the socket of ${replicaId} leads to ${reached}`);
  }

  // Private

  /** Of those that failed: once routing has let go of one it never comes back to it. */
  #failedStaysAway(serviceId: string, replicas: readonly string[]): void {
    const routed = new Set(replicas.map((id) => this.#deps.truth.replicas.get(id)?.spec.deployment_id));
    for (const [id, phase] of this.#phases) {
      if (phase !== 'Failed' || this.#deps.truth.deployments.get(id)?.spec.service_id !== serviceId) continue;
      if (!routed.has(id)) this.#away.add(id);
      else if (this.#away.has(id)) this.#violated(`(12) ${id} failed, and is routed to again`);
    }
  }

  #serviceRouted(
    service: Row<'Service'>,
    promoted: Row<'Deployment'> | undefined,
    replicas: readonly string[],
  ): void {
    const { truth } = this.#deps;
    const routed = replicas.map((id) => truth.replicas.get(id)?.spec);
    const releases = new Set(routed.map((spec) => `${spec?.deployment_id} epoch ${spec?.epoch}`));
    if (releases.size > 1) this.#violated(`(4) ${service.name} is routed to ${[...releases].join(' and ')}`);
    for (const spec of routed) {
      if (spec && truth.passedGate(spec, service.spec.replicas)) continue;
      this.#violated(`(1) ${service.name} is routed to ${spec?.deployment_id}, which did not pass its gate`);
    }
    const whole = replicas.length === service.spec.replicas && replicas.every((id) => truth.serves(id));
    const wanted = service.spec.rollout.running && promoted?.spec.stopped === false;
    if (whole && wanted) this.#inPeace.add(service.id);
    // A stop-first release is under way, which takes it down. How long requests may wait for it is bounded.
    if (service.status.parked_since !== null) this.#inPeace.delete(service.id);
    if (replicas.length === 0 && this.#inPeace.has(service.id))
      this.#violated(`(2) ${service.name} is routed nowhere, though nobody stopped or harmed it`);
  }

  async #replicaMade(id: string): Promise<void> {
    const { store, truth } = this.#deps;
    const rows = await store.list('Replica');
    const made = rows.find((row) => row.id === id);
    if (!made) return;
    truth.replicas.set(id, made);
    const { project_id: project, address } = made.spec;
    const same = rows.filter(({ spec }) => spec.project_id === project && spec.address === address);
    if (same.length > 1)
      this.#violated(`(5) ${same.map((row) => row.id).join(' and ')} both have ${address}`);
  }

  /** Rows go last: what a call that was lost makes later is another matter. */
  #purged(id: string): void {
    const { truth, engine } = this.#deps;
    const deployment = truth.deployments.get(id);
    if (deployment && engine.tags().includes(imageTag(deployment)))
      this.#violated(`(11) ${id} is gone, and its image is not`);
    if (engine.networkNames().some((name) => name.endsWith(id.slice(-8))))
      this.#violated(`(11) ${id} is gone, and its network is not`);
    if (truth.containers().some(({ spec }) => Object.values(spec.labels).includes(id)))
      this.#violated(`(11) ${id} is gone, and a container of it is not`);
  }

  async #deploymentMade(id: string): Promise<void> {
    const row = await this.#deps.store.get('Deployment', id);
    if (row) this.#deps.truth.deployments.set(id, row);
  }

  async #deploymentChanged(id: string): Promise<void> {
    const row = await this.#deps.store.get('Deployment', id);
    if (!row) return;
    const { phase } = row.status;
    const before = this.#phases.get(id);
    this.#phases.set(id, phase);
    // What is watched may still fail, and only that.
    const isTakenBack = before === 'Healthy' && row.status.reason === 'RolledBack';
    // Routing goes back to what stands by at once.
    const servesAgain = phase === 'Healthy' && this.#standingBy.has(id);
    if (row.status.reason === 'StandingBy') this.#standingBy.add(id);
    else this.#standingBy.delete(id);
    const isAllowed = isTakenBack || servesAgain;
    if (before !== undefined && before !== phase && never[before].includes(phase) && !isAllowed)
      this.#violated(`(4) ${id} went from ${before} to ${phase}`);
    if (isSettled(phase) && this.#builds.has(id))
      this.#violated(`(6) ${id} is ${phase} while its build goes on`);
  }

  #releaseOf({ spec: { labels } }: FakeContainer): string {
    const epoch = this.#deps.truth.replicas.get(labels['svc.replica'] ?? '')?.spec.epoch;
    return `${labels['svc.deployment']} epoch ${epoch}`;
  }

  #violated(what: string): void {
    this.violations.push(what);
  }
}
