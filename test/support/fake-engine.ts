/**
 * An engine in memory, with a world that tests drive by hand: workloads print, exit or run out of memory when the test
 * says so, builds follow a script, calls fail in a way that was injected. What nobody scripted throws. It passes the
 * contract suite of the real one.
 */
import type { Clock } from '../../specs/clock.ts';
import {
  EngineError,
  type BuildRequest,
  type ContainerLimits,
  type ContainerState,
  type Engine,
  type EngineEvent,
  type EngineInfo,
  type ImageFacts,
  type ImageState,
  type Labels,
  type NetworkPlace,
  type NetworkSpec,
  type NetworkState,
  type ReplicaContainer,
  type ReplicaStats,
  type VolumeState,
} from '../../controllers/engine/engine.ts';
import type { PullRequest, RegistryRequest } from '../../controllers/engine/registry-request.ts';
import type { ExecRequest, ExecSession, LeftExec } from '../../controllers/engine/exec.ts';
import type { EngineLogLine, LogRequest } from '../../controllers/engine/output.ts';
import type { EngineUsage } from '../../controllers/engine/usage.ts';
import { follow, type BuildScript } from './fake-build.ts';
import type { FakeContainer, Program } from './fake-container.ts';
import { FakeContainers } from './fake-containers.ts';
import { FakeEvents } from './fake-events.ts';
import { FakeImages, imageGone } from './fake-images.ts';
import { carries, FakeNetworks } from './fake-networks.ts';
import { FakeUsage } from './fake-usage.ts';
import { FakeRegistries } from './fake-registries.ts';
import { FakeVolumes } from './fake-volumes.ts';

/** `hang`: rejects only once the deadline of engine calls has passed. `lost reply`: takes effect, then rejects. */
export type Fault = 'unavailable' | 'hang' | 'lost reply';

/** Milliseconds until a hung call rejects. */
const callDeadline = 30_000;
const outOfReach = (): EngineError =>
  new EngineError('unavailable', 'The container engine is out of reach: check that it runs');

export class FakeEngine implements Engine {
  private readonly clock: Clock;
  /** Whom it can ask for images; the test fills them. */
  readonly registries = new FakeRegistries();
  private readonly images = new FakeImages();
  private readonly builds = new Map<string, BuildScript>();
  private readonly networks = new FakeNetworks();
  private readonly volumes = new FakeVolumes();
  /** What its things take on the disk; the test fills it. */
  readonly usage = new FakeUsage();
  private readonly listeners = new FakeEvents();
  private readonly containers = new FakeContainers(this.networks, this.listeners);
  private readonly faults: { method: keyof Engine; fault: Fault }[] = [];
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
    return this.containers.named(name);
  }

  /** The container of this id. */
  containerWith(id: string): FakeContainer {
    return this.containers.there(id);
  }

  /** Names of all networks. */
  networkNames(): string[] {
    return this.networks.names();
  }

  /** Tags of all images. */
  tags(): string[] {
    return this.images.tags();
  }

  /** Names of all containers. */
  names(): string[] {
    return this.containers.names();
  }

  /** The next `times` calls of this method fail in this way. */
  inject(method: keyof Engine, fault: Fault, times = 1): void {
    for (let count = 0; count < times; count++) this.faults.push({ method, fault });
  }

  /** Out of reach until `up()`: calls reject, streams break, containers go on. */
  down(): void {
    this.reachable = false;
    this.listeners.break(outOfReach());
    for (const container of this.containers.all()) container.breakFollowers(outOfReach());
  }

  up(): void {
    this.reachable = true;
  }

  // The port.

  info(): Promise<EngineInfo> {
    return this.call('info', () => ({ version: 'fake', apiVersion: '1.41', builder: 'buildkit' }));
  }

  ensureNetwork(spec: NetworkSpec): Promise<string> {
    return this.call('ensureNetwork', () => this.networks.ensure(spec, () => this.nextId()));
  }

  listNetworks(): Promise<NetworkState[]> {
    return this.call('listNetworks', () => this.networks.list());
  }

  removeNetwork(id: string): Promise<void> {
    return this.call('removeNetwork', () => {
      const name = this.networks.list().find((one) => one.id === id)?.name;
      this.networks.remove(id, (used) => this.containers.isNetworkUsed(used));
      if (name !== undefined) this.listeners.ofNetwork(name, 'destroy', null);
    });
  }

  build(request: BuildRequest): Promise<string> {
    return this.call('build', async () => {
      const script = this.builds.get(request.tag) ?? this.builds.get('*');
      if (!script) throw new Error(`fake engine: nobody scripted the build of ${request.tag}`);
      await follow(script, request);
      return this.addImage(request.tag, script.image, request.labels);
    });
  }

  resolveImage(request: RegistryRequest): Promise<string> {
    return this.call('resolveImage', () => this.registries.resolve(request));
  }

  pullImage(request: PullRequest): Promise<ImageFacts> {
    return this.call('pullImage', () =>
      this.registries.pull(request, this.images, `sha256:${this.nextId()}`),
    );
  }

  inspectImage(reference: string): Promise<ImageFacts | undefined> {
    return this.call('inspectImage', () => this.images.inspect(reference));
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
    return this.call('removeImage', () =>
      this.images.remove(reference, (id) => this.containers.isImageUsed(id)),
    );
  }

  ensureVolume(spec: VolumeState): Promise<void> {
    return this.call('ensureVolume', () => this.volumes.ensure(spec));
  }

  listVolumes(labels: Labels): Promise<VolumeState[]> {
    return this.call('listVolumes', () => this.volumes.list(labels));
  }

  removeVolume(name: string): Promise<void> {
    return this.call('removeVolume', () => this.volumes.remove(name, this.containers.isVolumeUsed(name)));
  }

  diskUsage(): Promise<EngineUsage> {
    return this.call('diskUsage', () => this.usage.of(this.images, this.volumes));
  }

  pruneBuildCache(unusedForMs: number): Promise<number> {
    return this.call('pruneBuildCache', () => this.usage.prune(this.clock.now() - unusedForMs));
  }

  createReplica(spec: ReplicaContainer): Promise<string> {
    return this.call('createReplica', () => {
      const found = this.containers.adopt(spec);
      if (found) return found.id;
      const program = this.images.program(spec.image);
      if (!program) throw imageGone();
      this.volumes.expect(spec.mounts);
      const id = this.nextId();
      this.containers.create(id, spec, program, this.clock);
      return id;
    });
  }

  startReplica(id: string): Promise<void> {
    return this.call('startReplica', () => this.containers.start(id));
  }

  stopReplica(id: string, graceMs: number): Promise<void> {
    return this.call('stopReplica', () => this.containers.get(id)?.stop(graceMs));
  }

  removeReplica(id: string): Promise<void> {
    return this.call('removeReplica', () => this.containers.remove(id));
  }

  unpauseReplica(id: string): Promise<void> {
    return this.call('unpauseReplica', () => this.containers.there(id).unpause());
  }

  connectReplica(id: string, network: NetworkPlace): Promise<void> {
    return this.call('connectReplica', () => this.containers.connect(id, network));
  }

  disconnectReplica(id: string, network: string): Promise<void> {
    return this.call('disconnectReplica', () => this.containers.disconnect(id, network));
  }

  renameReplica(id: string, name: string): Promise<void> {
    return this.call('renameReplica', () => this.containers.rename(id, name));
  }

  limitReplica(id: string, limits: ContainerLimits): Promise<void> {
    return this.call('limitReplica', () => this.containers.there(id).limit(limits));
  }

  inspectReplica(id: string): Promise<ContainerState | undefined> {
    return this.call('inspectReplica', () => this.containers.get(id)?.inspect());
  }

  listReplicas(labels: Labels): Promise<ContainerState[]> {
    return this.call('listReplicas', () =>
      this.containers.list(labels).map((container) => container.inspect()),
    );
  }

  replicaStats(ids: readonly string[]): Promise<Map<string, ReplicaStats>> {
    return this.call('replicaStats', () => this.containers.stats(ids));
  }

  async *replicaLogs(id: string, request: LogRequest): AsyncGenerator<EngineLogLine, undefined> {
    yield* (await this.call('replicaLogs', () => this.containers.there(id))).logs(request);
  }

  async *replicaOutput(id: string, signal: AbortSignal): AsyncGenerator<Buffer, undefined> {
    yield* (await this.call('replicaOutput', () => this.containers.there(id))).output(signal);
  }

  exec(id: string, request: ExecRequest): Promise<ExecSession> {
    return this.call('exec', () => this.containers.there(id).exec(request));
  }

  endExec({ container, mark }: LeftExec): Promise<void> {
    return this.call('endExec', () => this.containers.get(container)?.endExec(mark));
  }

  async *events(labels: Labels, signal: AbortSignal): AsyncGenerator<EngineEvent, undefined> {
    await this.call('events', () => undefined);
    yield* this.listeners.follow(labels, signal);
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

  private nextId(): string {
    return (++this.serial).toString(16).padStart(64, '0');
  }
}
