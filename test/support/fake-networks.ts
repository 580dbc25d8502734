/** Networks of the fake engine. */
import {
  EngineError,
  type Labels,
  type NetworkSpec,
  type NetworkState,
} from '../../controllers/engine/engine.ts';

/** Whether something has all of these labels. */
export const carries = (labels: Labels, wanted: Labels): boolean =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value);

export class FakeNetworks {
  private readonly networks = new Map<string, NetworkState>();

  list(): NetworkState[] {
    return [...this.networks.values()];
  }

  /** Of all. */
  names(): string[] {
    return this.list()
      .map(({ name }) => name)
      .sort();
  }

  find(name: string): NetworkState | undefined {
    return this.list().find((network) => network.name === name);
  }

  /** @param newId makes an id, if there is none yet */
  ensure(spec: NetworkSpec, newId: () => string): string {
    const found = this.list().find((network) => network.name === spec.name);
    if (found && carries(found.labels, spec.labels) && found.subnets.includes(spec.subnet)) return found.id;
    if (found)
      throw new EngineError(
        'conflict',
        `A network ${spec.name} that is not ours exists: remove or rename it`,
      );
    if (this.list().some((network) => network.subnets.includes(spec.subnet)))
      throw new EngineError('conflict', `The range ${spec.subnet} is taken by another network`);
    const id = newId();
    this.networks.set(id, { id, name: spec.name, subnets: [spec.subnet], labels: spec.labels });
    return id;
  }

  /** @param isUsed whether a container runs in the network of this name */
  remove(id: string, isUsed: (name: string) => boolean): void {
    const name = this.networks.get(id)?.name;
    if (name !== undefined && isUsed(name))
      throw new EngineError('conflict', 'The network is in use: remove its containers first');
    this.networks.delete(id);
  }
}
