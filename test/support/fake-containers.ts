/** Containers of the fake engine, and the networks that they are in. */
import type { Clock } from '../../specs/clock.ts';
import {
  EngineError,
  type Labels,
  type NetworkPlace,
  type ReplicaContainer,
  type ReplicaStats,
} from '../../controllers/engine/engine.ts';
import { FakeContainer, type Program } from './fake-container.ts';
import type { FakeEvents } from './fake-events.ts';
import { carries, type FakeNetworks } from './fake-networks.ts';

export class FakeContainers {
  private readonly byId = new Map<string, FakeContainer>();
  private readonly networks: FakeNetworks;
  private readonly events: FakeEvents;

  constructor(networks: FakeNetworks, events: FakeEvents) {
    this.networks = networks;
    this.events = events;
  }

  all(): FakeContainer[] {
    return [...this.byId.values()];
  }

  get(id: string): FakeContainer | undefined {
    return this.byId.get(id);
  }

  /** Throws where it is gone. */
  there(id: string): FakeContainer {
    const container = this.byId.get(id);
    if (!container) throw new EngineError('not_found', 'The engine no longer has the container');
    return container;
  }

  /** Of all. */
  names(): string[] {
    return this.all()
      .map((container) => container.name)
      .sort();
  }

  /** The one of this name, whosever it is. */
  named(name: string): FakeContainer {
    const found = this.all().find((container) => container.name === name);
    if (found) return found;
    throw new Error(`fake engine: there is no container ${name}; there are: ${this.names().join(', ')}`);
  }

  list(labels: Labels): FakeContainer[] {
    return this.all().filter(({ spec }) => carries(spec.labels, labels));
  }

  /** Of those that run. */
  stats(ids: readonly string[]): Map<string, ReplicaStats> {
    const all = this.all().filter(({ id }) => ids.includes(id));
    return new Map(all.flatMap((one) => [one.stats()].flatMap((stats) => (stats ? [[one.id, stats]] : []))));
  }

  /** The one of this name that carries these labels. Throws where it carries others. */
  adopt({ name, labels }: ReplicaContainer): FakeContainer | undefined {
    const found = this.all().find((container) => container.name === name);
    if (found && !carries(found.spec.labels, labels))
      throw new EngineError('conflict', `A container ${name} that is not ours exists: remove or rename it`);
    return found;
  }

  create(id: string, spec: ReplicaContainer, program: Program, clock: Clock): void {
    const tell = (action: string): void => this.events.ofContainer(id, spec.labels, action);
    const container = new FakeContainer(id, spec, program, clock, tell);
    container.connect({ ...spec.network, id: this.networks.find(spec.network.name)?.id ?? '' });
    this.byId.set(id, container);
    tell('create');
  }

  start(id: string): void {
    const container = this.there(id);
    for (const connected of container.networks) {
      if (this.networks.find(connected.name)?.id !== connected.id) throw noNetwork(connected.name);
      this.claim(container, connected);
    }
    container.start();
  }

  remove(id: string): void {
    const container = this.byId.get(id);
    if (!container) return;
    container.exit(137);
    this.byId.delete(id);
    this.events.ofContainer(id, container.spec.labels, 'destroy');
  }

  connect(id: string, { name, address }: NetworkPlace): void {
    const container = this.there(id);
    const network = this.networks.find(name);
    if (!network) throw noNetwork(name);
    if (container.isRunning) this.claim(container, { name, address });
    container.connect({ name, address, id: network.id });
    this.events.ofNetwork(name, 'connect', id);
  }

  rename(id: string, name: string): void {
    const container = this.there(id);
    if (this.all().some((other) => other !== container && other.name === name))
      throw new EngineError('conflict', 'The name is in use by another container');
    container.name = name;
    this.events.ofContainer(id, container.spec.labels, 'rename');
  }

  disconnect(id: string, network: string): void {
    if (this.byId.get(id)?.disconnect(network) === true) this.events.ofNetwork(network, 'disconnect', id);
  }

  isNetworkUsed(name: string): boolean {
    return this.all().some((other) => other.isRunning && other.networks.some((one) => one.name === name));
  }

  isImageUsed(id: string): boolean {
    return this.all().some(({ spec }) => spec.image === id);
  }

  isVolumeUsed(name: string): boolean {
    return this.all().some(({ spec }) =>
      spec.mounts.some((mount) => 'volume' in mount && mount.volume === name),
    );
  }

  /** Throws where another container that runs has the address. */
  private claim(container: FakeContainer, { name, address }: NetworkPlace): void {
    const taken = this.all().some(
      (other) =>
        other !== container &&
        other.isRunning &&
        other.networks.some((connected) => connected.name === name && connected.address === address),
    );
    if (taken) throw new EngineError('conflict', 'The address is in use by another container');
  }
}

function noNetwork(name: string): EngineError {
  return new EngineError('not_found', `The engine has no network ${name}`);
}
