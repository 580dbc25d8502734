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
import { findImage, listImages, removeImage, tagImage } from './docker/images.ts';
import { replicaLogs } from './docker/logs.ts';
import { ensureNetwork, listNetworks, removeNetwork } from './docker/networks.ts';
import * as replicas from './docker/replicas.ts';
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
} from './engine.ts';

export interface DockerEngineOptions {
  /** `unix:///path` or `tcp://host:port`. */
  endpoint: string;
  clock: Clock;
}

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
      const { version, apiVersion } = connection;
      return { version, apiVersion, builder: (await cap?.isPossible()) ? 'buildkit' : 'classic' };
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

  inspectReplica(id: string): Promise<ContainerState | undefined> {
    return this.call((connection) => replicas.inspectReplica(connection, this.options.clock, id));
  }

  listReplicas(labels: Labels): Promise<ContainerState[]> {
    return this.call((connection) => replicas.listReplicas(connection, this.options.clock, labels));
  }

  async *replicaLogs(
    id: string,
    options: { since?: string; follow: boolean; signal: AbortSignal },
  ): AsyncGenerator<EngineLogLine, undefined> {
    const connection = await this.connected();
    yield* replicaLogs(connection, this.options.clock, id, options);
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
