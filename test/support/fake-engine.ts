/**
 * An engine in memory, with a world that tests drive by hand: workloads print, exit or run out of memory when the test
 * says so, builds follow a script, calls fail in a way that was injected. What nobody scripted throws. It passes the
 * contract suite of the real one.
 */
import type { Clock } from '../../specs/clock.ts';
import {
  EngineError,
  type BuildRequest,
  type ContainerState,
  type Engine,
  type EngineEvent,
  type EngineInfo,
  type EngineLogLine,
  type ImageState,
  type Labels,
  type NetworkSpec,
  type NetworkState,
  type ReplicaContainer,
} from '../../controllers/engine/engine.ts';
import { drain } from './build-context.ts';
import { FakeContainer, type Program } from './fake-container.ts';
import { FakeImages, imageGone } from './fake-images.ts';
import { Feed } from './feed.ts';

/** What a build does. Its image then runs `image`. */
export interface BuildScript {
  lines?: readonly (string | { stream: 'stdout' | 'stderr'; line: string })[];
  /** Message of the failure. */
  fails?: string;
  /** Goes on until it is aborted. */
  hangs?: true;
  image?: Program;
}

/** `hang`: rejects only once the deadline of engine calls has passed. `lost reply`: takes effect, then rejects. */
export type Fault = 'unavailable' | 'hang' | 'lost reply';

/** Milliseconds until a hung call rejects. */
const callDeadline = 30_000;
const outOfReach = (): EngineError =>
  new EngineError('unavailable', 'The container engine is out of reach: check that it runs');
const carries = (labels: Labels, wanted: Labels): boolean =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value);

export class FakeEngine implements Engine {
  private readonly clock: Clock;
  private readonly images = new FakeImages();
  private readonly builds = new Map<string, BuildScript>();
  private readonly networks = new Map<string, NetworkState>();
  private readonly containers = new Map<string, FakeContainer>();
  private readonly faults: { method: keyof Engine; fault: Fault }[] = [];
  private readonly listeners = new Set<{ labels: Labels; feed: Feed<EngineEvent> }>();
  private reachable = true;
  private serial = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  // The world, as the test drives it.

  /** An image that is there. @returns its id */
  addImage(tag: string, program: Program = {}, labels: Labels = {}): string {
    const id = `sha256:${this.nextId()}`;
    this.images.add(id, tag, program, labels);
    return id;
  }

  /** What the build of this tag does, every time. `*` stands for every tag that has no script of its own. */
  scriptBuild(tag: string, script: BuildScript): void {
    this.builds.set(tag, script);
  }

  /** A container that carries this name. */
  container(name: string): FakeContainer {
    const found = [...this.containers.values()].find((container) => container.spec.name === name);
    if (!found)
      throw new Error(`fake engine: there is no container ${name}; there are: ${this.names().join(', ')}`);
    return found;
  }

  /** Names of all networks. */
  networkNames(): string[] {
    return [...this.networks.values()].map(({ name }) => name).sort();
  }

  /** Tags of all images. */
  tags(): string[] {
    return this.images.tags();
  }

  /** Names of all containers. */
  names(): string[] {
    return [...this.containers.values()].map((container) => container.spec.name).sort();
  }

  /** The next `times` calls of this method fail in this way. */
  inject(method: keyof Engine, fault: Fault, times = 1): void {
    for (let count = 0; count < times; count++) this.faults.push({ method, fault });
  }

  /** Out of reach until `up()`: calls reject, streams break, containers go on. */
  down(): void {
    this.reachable = false;
    for (const { feed } of this.listeners) feed.end(outOfReach());
    this.listeners.clear();
    for (const container of this.containers.values()) container.breakFollowers(outOfReach());
  }

  up(): void {
    this.reachable = true;
  }

  // The port.

  info(): Promise<EngineInfo> {
    return this.call('info', () => ({ version: 'fake', apiVersion: '1.41', builder: 'buildkit' }));
  }

  ensureNetwork(spec: NetworkSpec): Promise<string> {
    return this.call('ensureNetwork', () => {
      const found = [...this.networks.values()].find((network) => network.name === spec.name);
      if (found && carries(found.labels, spec.labels) && found.subnets.includes(spec.subnet)) return found.id;
      if (found)
        throw new EngineError(
          'conflict',
          `A network ${spec.name} that is not ours exists: remove or rename it`,
        );
      if ([...this.networks.values()].some((network) => network.subnets.includes(spec.subnet)))
        throw new EngineError('conflict', `The range ${spec.subnet} is taken by another network`);
      const id = this.nextId();
      this.networks.set(id, { id, name: spec.name, subnets: [spec.subnet], labels: spec.labels });
      return id;
    });
  }

  listNetworks(): Promise<NetworkState[]> {
    return this.call('listNetworks', () => [...this.networks.values()]);
  }

  removeNetwork(id: string): Promise<void> {
    return this.call('removeNetwork', () => {
      const name = this.networks.get(id)?.name;
      const used = [...this.containers.values()].some(
        (other) => other.isRunning && other.spec.network.name === name,
      );
      if (used) throw new EngineError('conflict', 'The network is in use: remove its containers first');
      this.networks.delete(id);
    });
  }

  build(request: BuildRequest): Promise<string> {
    return this.call('build', async () => {
      const script = this.builds.get(request.tag) ?? this.builds.get('*');
      if (!script) throw new Error(`fake engine: nobody scripted the build of ${request.tag}`);
      const aborted = () => request.signal.aborted;
      if (aborted()) throw new EngineError('aborted', 'The build was aborted');
      await drain(request.context);
      const mask = request.mask?.();
      for (const said of script.lines ?? []) {
        const { stream, line } = typeof said === 'string' ? { stream: 'stdout' as const, line: said } : said;
        request.onLine({ stream, line: mask?.(stream, line) ?? line });
      }
      if (script.hangs)
        await new Promise((resolve) => request.signal.addEventListener('abort', resolve, { once: true }));
      if (aborted()) throw new EngineError('aborted', 'The build was aborted');
      if (script.fails !== undefined) throw new EngineError('refused', script.fails);
      return this.addImage(request.tag, script.image, request.labels);
    });
  }

  listImages(labels: Labels): Promise<ImageState[]> {
    return this.call('listImages', () => this.images.list((own) => carries(own, labels)));
  }

  findImage(reference: string): Promise<string | undefined> {
    return this.call('findImage', () => this.images.find(reference));
  }

  tagImage(id: string, tag: string): Promise<void> {
    return this.call('tagImage', () => this.images.tag(id, tag));
  }

  removeImage(reference: string): Promise<void> {
    const isUsed = (id: string): boolean =>
      [...this.containers.values()].some((container) => container.spec.image === id);
    return this.call('removeImage', () => this.images.remove(reference, isUsed));
  }

  createReplica(spec: ReplicaContainer): Promise<string> {
    return this.call('createReplica', () => {
      const found = [...this.containers.values()].find((container) => container.spec.name === spec.name);
      if (found && carries(found.spec.labels, spec.labels)) return found.id;
      if (found)
        throw new EngineError(
          'conflict',
          `A container ${spec.name} that is not ours exists: remove or rename it`,
        );
      const program = this.images.program(spec.image);
      if (!program) throw imageGone();
      const container = new FakeContainer(this.nextId(), spec, program, this.clock, (action) =>
        this.tell(container, action),
      );
      this.containers.set(container.id, container);
      this.tell(container, 'create');
      return container.id;
    });
  }

  startReplica(id: string): Promise<void> {
    return this.call('startReplica', () => {
      const container = this.containers.get(id);
      if (!container) throw new EngineError('not_found', 'The engine no longer has the container');
      const { name, address } = container.spec.network;
      if (![...this.networks.values()].some((network) => network.name === name))
        throw new EngineError('not_found', `The engine has no network ${name}`);
      const taken = [...this.containers.values()].some(
        (other) =>
          other !== container &&
          other.isRunning &&
          other.spec.network.address === address &&
          other.spec.network.name === name,
      );
      if (taken) throw new EngineError('conflict', 'The address is in use by another container');
      container.start();
    });
  }

  stopReplica(id: string, graceMs: number): Promise<void> {
    return this.call('stopReplica', () => this.containers.get(id)?.stop(graceMs));
  }

  removeReplica(id: string): Promise<void> {
    return this.call('removeReplica', () => {
      const container = this.containers.get(id);
      if (!container) return;
      container.exit(137);
      this.containers.delete(id);
      this.tell(container, 'destroy');
    });
  }

  inspectReplica(id: string): Promise<ContainerState | undefined> {
    return this.call('inspectReplica', () => this.containers.get(id)?.inspect());
  }

  listReplicas(labels: Labels): Promise<ContainerState[]> {
    return this.call('listReplicas', () =>
      [...this.containers.values()]
        .filter(({ spec }) => carries(spec.labels, labels))
        .map((container) => container.inspect()),
    );
  }

  async *replicaLogs(
    id: string,
    options: { since?: string; follow: boolean; signal: AbortSignal },
  ): AsyncGenerator<EngineLogLine, undefined> {
    const container = await this.call('replicaLogs', () => this.containers.get(id));
    if (!container) throw new EngineError('not_found', 'The engine no longer has the container');
    yield* container.logs(options);
  }

  async *events(labels: Labels, signal: AbortSignal): AsyncGenerator<EngineEvent, undefined> {
    const listener = { labels, feed: new Feed<EngineEvent>() };
    await this.call('events', () => this.listeners.add(listener));
    signal.addEventListener('abort', () => listener.feed.end(), { once: true });
    if (signal.aborted) listener.feed.end();
    try {
      yield* listener.feed;
    } finally {
      this.listeners.delete(listener);
    }
  }

  private async call<T>(method: keyof Engine, effect: () => T | Promise<T>): Promise<T> {
    // No call of an engine settles in the turn that made it.
    await Promise.resolve();
    const index = this.faults.findIndex((planned) => planned.method === method);
    const fault = index === -1 ? undefined : this.faults.splice(index, 1)[0]?.fault;
    if (fault === 'hang') await new Promise<void>((resolve) => this.clock.after(callDeadline, resolve));
    if (!this.reachable || fault === 'unavailable' || fault === 'hang') throw outOfReach();
    const result = await effect();
    if (fault === 'lost reply') throw outOfReach();
    return result;
  }

  private tell({ id, spec }: FakeContainer, action: string): void {
    for (const { labels, feed } of this.listeners)
      if (carries(spec.labels, labels)) feed.push({ action, container: id, labels: spec.labels });
  }

  private nextId(): string {
    return (++this.serial).toString(16).padStart(64, '0');
  }
}
