/** What must hold once nothing more is to be done: rows, containers and routes say the same. */
import { isDeepStrictEqual } from 'node:util';
import { workloadOf } from '../../specs/configuration.ts';
import { isSettled } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import { durationMs } from '../../specs/duration.ts';
import { quantityBytes } from '../../specs/quantity.ts';
import { revisionOf } from '../../specs/revision.ts';
import { remains } from './remains.ts';
import type { FakeContainer } from '../support/fake-container.ts';
import type { World } from './world.ts';

/** @returns what is not as it must be at rest */
export async function unrest(world: World): Promise<string[]> {
  const { store, truth, disk } = world;
  const found: string[] = [];
  const [services, replicas, uploads] = await Promise.all([
    store.list('Service'),
    store.list('Replica'),
    store.list('Upload'),
  ]);
  for (const service of services) found.push(...(await serviceUnrest(service, replicas, world)));
  for (const { id, owner } of replicas)
    if (!(await store.get('Deployment', owner ?? ''))) found.push(`${id} has no deployment`);
  const known = new Set(replicas.map(({ id }) => id));
  for (const { spec } of truth.containers())
    if (!known.has(spec.labels['svc.replica'] ?? '')) found.push(`container ${spec.name} is left over`);
  for (const container of truth.containers()) found.push(...(await drift(container, world)));
  for (const { id } of uploads) found.push(`${id} is kept after its build`);
  for (const id of disk.uploads) found.push(`the archive of ${id} is kept after its build`);
  return [...found.map((what) => `(7) ${what}`), ...(await remains(world))];
}

/** Whatever people did to it, it is as its rows say. */
async function drift(container: FakeContainer, { store }: World): Promise<string[]> {
  const { name, labels } = container.spec;
  const [replica, deployment] = await Promise.all([
    store.get('Replica', labels['svc.replica'] ?? ''),
    store.get('Deployment', labels['svc.deployment'] ?? ''),
  ]);
  const project = await store.get('Project', replica?.spec.project_id ?? '');
  // That its rows are there is seen to above.
  if (!replica || !deployment || !project) return [];
  const { paused, networks, limits } = container.inspect();
  const { network: id, network_name: network } = project.status;
  const place = { name: network, address: replica.spec.address, id };
  const memory = quantityBytes(deployment.spec.workload.resources.memory);
  const found = paused ? [`container ${name} is paused`] : [];
  if (!isDeepStrictEqual(networks, [place])) found.push(`container ${name} is not where it belongs`);
  if (limits.memoryBytes !== memory) found.push(`container ${name} has other limits than its deployment`);
  return found;
}

async function serviceUnrest(
  service: Row<'Service'>,
  allReplicas: Row<'Replica'>[],
  world: World,
): Promise<string[]> {
  const { name, spec, status } = service;
  const found: string[] = [];
  const deployments = await world.store.list('Deployment', { owner: service.id });
  const promoted = deployments.find(({ id }) => id === status.promoted);
  // One that was started again may fail its gate like any other; then there is nothing left to serve.
  const isLive =
    spec.rollout.running && promoted?.spec.stopped === false && promoted.status.phase !== 'Failed';
  const live = isLive ? promoted : undefined;
  found.push(...phaseUnrest(service, deployments, live));
  found.push(...targetUnrest(service, deployments, isLive));
  found.push(...configurationUnrest(service, deployments));

  if (status.parked_since !== null) found.push(`requests of ${name} wait without end`);
  found.push(...watchUnrest(service, deployments, live));

  const replicas = allReplicas.filter((replica) => replica.spec.service_id === service.id);
  const right = replicas.filter(
    ({ id, owner, deleted_at: deleted, status: { phase }, spec: { epoch } }) =>
      owner === live?.id &&
      deleted === null &&
      epoch === live.status.epoch &&
      phase === 'Ready' &&
      world.truth.serves(id),
  );
  if (right.length !== replicas.length || right.length !== (live ? spec.replicas : 0))
    found.push(
      `${name} has ${replicas.length} replicas, of which ${right.length} are right: ${replicas.map(describe).join(', ')}`,
    );
  const ids = right
    .map(({ id }) => id)
    .sort()
    .join();
  for (const snapshot of world.ingress.served()) {
    const routed = [...(snapshot?.services[service.id]?.replicas ?? [])].sort().join();
    if (routed !== ids) found.push(`a worker routes ${name} to [${routed}] instead of [${ids}]`);
  }
  return found;
}

/** Nobody is watched, stands by or is counted without end. */
function watchUnrest(
  { name, status }: Row<'Service'>,
  deployments: Row<'Deployment'>[],
  live: Row<'Deployment'> | undefined,
): string[] {
  const found = status.bake === null ? [] : [`${name} is watched without end`];
  for (const { id, status: said } of deployments) {
    if (said.takeover !== null) found.push(`the receipt of ${id} is never final`);
    if (said.epoch !== null && id !== live?.id) found.push(`${id} stands by without end`);
  }
  return found;
}

/** Every deployment is settled, the live one alone is Healthy, and images are kept only where they may be needed. */
function phaseUnrest(
  { name, spec, status }: Row<'Service'>,
  deployments: Row<'Deployment'>[],
  live: Row<'Deployment'> | undefined,
): string[] {
  const found: string[] = [];
  for (const deployment of deployments) {
    const { phase, reason, image } = deployment.status;
    const pinned = [spec.rollout.target, status.promoted, status.previous].includes(deployment.id);
    if (image !== null && deployment.status.promoted_at === null && !pinned)
      found.push(`${deployment.id} of ${name} never served, and its image is kept`);
    if (!isSettled(phase)) found.push(`${deployment.id} of ${name} is ${phase} (${reason})`);
    if ((phase === 'Healthy') !== (deployment === live))
      found.push(`${deployment.id} of ${name} is ${phase}${deployment === live ? ', and it is live' : ''}`);
  }
  return found;
}

/** What is wanted serves, or failed, or was called off by somebody: then what served before it goes on. */
function targetUnrest(
  { name, spec }: Row<'Service'>,
  deployments: Row<'Deployment'>[],
  anotherServes: boolean,
): string[] {
  const { target, running } = spec.rollout;
  const row = deployments.find(({ id }) => id === target);
  if (!running || !row) return [];
  const { phase } = row.status;
  if (phase === 'Healthy' || phase === 'Failed') return [];
  if (phase === 'Stopped' && (row.spec.stopped || anotherServes)) return [];
  return [`the target of ${name} is ${phase} (${row.status.reason}), and nobody asked for that`];
}

/** What is configured was asked for, or cannot be: secrets are missing, nothing serves, or somebody stopped it. */
function configurationUnrest(row: Row<'Service'>, deployments: Row<'Deployment'>[]): string[] {
  const { name, spec, status, generation, observed_generation: observed } = row;
  const found = generation === observed ? [] : [`${name} changed, and its controller did not look`];
  const configuration = workloadOf(spec);
  const promoted = deployments.find(({ id }) => id === status.promoted);
  if (!spec.rollout.running || !promoted || promoted.spec.stopped || 'missing' in configuration) return found;
  if (revisionOf(configuration.workload) !== spec.rollout.configured)
    found.push(`the configuration of ${name} was changed and not released`);
  return found;
}

function describe({ id, spec, status, deleted_at: deleted }: Row<'Replica'>): string {
  return `${id} of ${spec.deployment_id} epoch ${spec.epoch} ${status.phase}${deleted === null ? '' : ' going'}`;
}

const minute = 60_000;

/** Deployments that should have come to a verdict by now. */
export class Deadlines {
  readonly #world: World;
  /** Deployment → when it was first seen unsettled, and when it was first seen routed to by everybody. */
  readonly #since = new Map<
    string,
    { unsettled: number; lost: number; generation: number; routed?: number | undefined }
  >();

  constructor(world: World) {
    this.#world = world;
  }

  async passed(): Promise<string[]> {
    const { store, clock, lost } = this.#world;
    const passed: string[] = [];
    for (const row of await store.list('Deployment')) {
      const { id, status, spec } = row;
      const service = await store.get('Service', spec.service_id);
      const generation = row.generation + (service?.generation ?? 0);
      if (isSettled(status.phase)) {
        this.#since.delete(id);
        continue;
      }
      let since = this.#since.get(id);
      if (since?.generation !== generation)
        this.#since.set(id, (since = { unsettled: clock.elapsed, lost, generation }));
      if (lost !== since.lost) Object.assign(since, { lost, routed: undefined });
      since.routed = this.#isRouted(row) ? (since.routed ?? clock.elapsed) : undefined;
      const gate = durationMs(spec.workload.health.deadline);
      const limit = 3 * 30 * minute + gate + 5 * minute + 2 * (lost - since.lost);
      if (clock.elapsed - since.unsettled > limit)
        passed.push(`(8) ${id} is ${status.phase} (${status.reason}) for too long`);
      if (since.routed !== undefined && clock.elapsed - since.routed > 0.5 * minute)
        passed.push(`(8) ${id} is ${status.phase} (${status.reason}) though every worker routes to it`);
    }
    return passed;
  }

  #isRouted({ id, spec }: Row<'Deployment'>): boolean {
    const { ingress, truth } = this.#world;
    return ingress.served().every((snapshot) => {
      const replicas = snapshot?.services[spec.service_id]?.replicas ?? [];
      return (
        replicas.length > 0 &&
        replicas.every((replica) => truth.replicas.get(replica)?.spec.deployment_id === id)
      );
    });
  }
}
