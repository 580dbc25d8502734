/**
 * The engine port over a Docker Engine API (Docker, or Podman's compatible service). Speaks the newest API that both
 * sides know; finds that out on the first call and again after the engine was out of reach, for it may come back as
 * another version. Decides nothing: it does what the port says and rejects with an EngineError.
 */
import type { Clock } from '../../specs/clock.ts';
import { connect, ping, type Connection } from './connect.ts';
import { BuildCap } from './docker/build-cap.ts';
import { build } from './docker/build.ts';
import { containerEvents } from './docker/events.ts';
import { endExec, exec } from './docker/exec.ts';
import type { Kill } from './docker/exec-processes.ts';
import { findImage, inspectImage, listImages, removeImage, tagImage } from './docker/images.ts';
import { replicaLogs, replicaOutput } from './docker/logs.ts';
import { ensureNetwork, listNetworks, removeNetwork } from './docker/networks.ts';
import { pullImage, resolveImage } from './docker/pull.ts';
import * as mending from './docker/mending.ts';
import * as replicas from './docker/replicas.ts';
import { replicaStats } from './docker/stats.ts';
import { diskUsage, pruneBuildCache } from './docker/usage.ts';
import { ensureVolume, listVolumes, removeVolume } from './docker/volumes.ts';
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
} from './engine.ts';
import type { PullRequest, RegistryRequest } from './registry-request.ts';
import type { ExecRequest, ExecSession, LeftExec } from './exec.ts';
import type { EngineLogLine, LogRequest } from './output.ts';
import type { EngineUsage } from './usage.ts';

export interface DockerEngineOptions {
  /** `unix:///path` or `tcp://host:port`. */
  endpoint: string;
  clock: Clock;
  /** Signals a process of this host; process.kill when absent. */
  kill?: Kill;
}

const hostKill: Kill = (pid, signal) => void process.kill(pid, signal);

export class DockerEngine implements Engine {
  readonly endpoint: string;
  private readonly options: DockerEngineOptions;
  /** By cgroup parent. They outlive a connection, for builds do. */
  private readonly caps = new Map<string, BuildCap>();
  private connection: Promise<Connection> | undefined;

  constructor(options: DockerEngineOptions) {
    this.endpoint = options.endpoint;
    this.options = options;
  }

  async info(): Promise<EngineInfo> {
    return this.call(async (connection) => {
      await ping(connection, this.options.clock);
      const cap = this.capFor(connection);
      const { version, apiVersion, root } = connection;
      const builder = (await cap?.isPossible()) ? 'buildkit' : 'classic';
      return { version, apiVersion, builder, ...(root === undefined ? {} : { root }) };
    });
  }

  ensureNetwork(spec: NetworkSpec): Promise<string> {
    return this.call((connection) => ensureNetwork(connection, this.options.clock, spec));
  }

  listNetworks(): Promise<NetworkState[]> {
    return this.call((connection) => listNetworks(connection, this.options.clock));
  }

  removeNetwork(id: string): Promise<void> {
    return this.call((connection) => removeNetwork(connection, this.options.clock, id));
  }

  build(request: BuildRequest): Promise<string> {
    // It may break before anything reads it; without a listener that would end the process.
    request.context.on('error', () => undefined);
    return this.call((connection) => build(connection, this.options.clock, this.capFor(connection), request));
  }

  resolveImage(request: RegistryRequest): Promise<string> {
    return this.call((connection) => resolveImage(connection, this.options.clock, request));
  }

  pullImage(request: PullRequest): Promise<ImageFacts> {
    return this.call((connection) => pullImage(connection, this.options.clock, request));
  }

  inspectImage(reference: string): Promise<ImageFacts | undefined> {
    return this.call((connection) => inspectImage(connection, this.options.clock, reference));
  }

  listImages(labels: Labels): Promise<ImageState[]> {
    return this.call((connection) => listImages(connection, this.options.clock, labels));
  }

  findImage(reference: string): Promise<string | undefined> {
    return this.call((connection) => findImage(connection, this.options.clock, reference));
  }

  tagImage(image: string, tag: string): Promise<void> {
    return this.call((connection) => tagImage(connection, this.options.clock, image, tag));
  }

  removeImage(reference: string): Promise<void> {
    return this.call((connection) => removeImage(connection, this.options.clock, reference));
  }

  ensureVolume(spec: VolumeState): Promise<void> {
    return this.call((connection) => ensureVolume(connection, this.options.clock, spec));
  }

  listVolumes(labels: Labels): Promise<VolumeState[]> {
    return this.call((connection) => listVolumes(connection, this.options.clock, labels));
  }

  removeVolume(name: string): Promise<void> {
    return this.call((connection) => removeVolume(connection, this.options.clock, name));
  }

  diskUsage(): Promise<EngineUsage> {
    return this.call((connection) => diskUsage(connection, this.options.clock));
  }

  pruneBuildCache(unusedForMs: number): Promise<number> {
    return this.call((connection) => pruneBuildCache(connection, this.options.clock, unusedForMs));
  }

  createReplica(spec: ReplicaContainer): Promise<string> {
    return this.call((connection) => replicas.createReplica(connection, this.options.clock, spec));
  }

  startReplica(id: string): Promise<void> {
    return this.call((connection) => replicas.startReplica(connection, this.options.clock, id));
  }

  stopReplica(id: string, graceMs: number): Promise<void> {
    return this.call((connection) => replicas.stopReplica(connection, this.options.clock, id, graceMs));
  }

  removeReplica(id: string): Promise<void> {
    return this.call((connection) => replicas.removeReplica(connection, this.options.clock, id));
  }

  unpauseReplica(id: string): Promise<void> {
    return this.call((connection) => mending.unpauseReplica(connection, this.options.clock, id));
  }

  connectReplica(id: string, network: NetworkPlace): Promise<void> {
    return this.call((connection) => mending.connectReplica(connection, this.options.clock, id, network));
  }

  disconnectReplica(id: string, network: string): Promise<void> {
    return this.call((connection) => mending.disconnectReplica(connection, this.options.clock, id, network));
  }

  renameReplica(id: string, name: string): Promise<void> {
    return this.call((connection) => mending.renameReplica(connection, this.options.clock, id, name));
  }

  limitReplica(id: string, limits: ContainerLimits): Promise<void> {
    return this.call((connection) => mending.limitReplica(connection, this.options.clock, id, limits));
  }

  inspectReplica(id: string): Promise<ContainerState | undefined> {
    return this.call((connection) => replicas.inspectReplica(connection, this.options.clock, id));
  }

  listReplicas(labels: Labels): Promise<ContainerState[]> {
    return this.call((connection) => replicas.listReplicas(connection, this.options.clock, labels));
  }

  replicaStats(ids: readonly string[]): Promise<Map<string, ReplicaStats>> {
    return this.call((connection) => replicaStats(connection, this.options.clock, ids));
  }

  async *replicaLogs(id: string, request: LogRequest): AsyncGenerator<EngineLogLine, undefined> {
    const connection = await this.connected();
    yield* replicaLogs(connection, this.options.clock, id, request);
  }

  async *replicaOutput(id: string, signal: AbortSignal): AsyncGenerator<Buffer, undefined> {
    const connection = await this.connected();
    yield* replicaOutput(connection, this.options.clock, id, signal);
  }

  exec(container: string, request: ExecRequest): Promise<ExecSession> {
    const { clock, kill = hostKill } = this.options;
    return this.call((connection) => exec(connection, clock, container, request, kill));
  }

  endExec(left: LeftExec): Promise<void> {
    const { clock, kill = hostKill } = this.options;
    return this.call((connection) => endExec(connection, clock, left, kill));
  }

  async *events(labels: Labels, signal: AbortSignal): AsyncGenerator<EngineEvent, undefined> {
    const connection = await this.connected();
    yield* containerEvents(connection, this.options.clock, labels, signal);
  }

  private capFor({ cgroupParent }: Connection): BuildCap | undefined {
    if (cgroupParent === undefined) return undefined;
    const cap = this.caps.get(cgroupParent) ?? new BuildCap(cgroupParent);
    this.caps.set(cgroupParent, cap);
    return cap;
  }

  private async call<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.connected();
    try {
      return await work(await connection);
    } catch (error) {
      const lost = error instanceof EngineError && error.code === 'unavailable';
      if (lost && this.connection === connection) this.connection = undefined;
      throw error;
    }
  }

  private connected(): Promise<Connection> {
    if (this.connection) return this.connection;
    const connecting = connect(this.options.endpoint, this.options.clock);
    this.connection = connecting;
    // A failure is not kept: the next call tries again.
    connecting.catch(() => {
      if (this.connection === connecting) this.connection = undefined;
    });
    return connecting;
  }
}
