/**
 * The engine port: what svc needs of whatever runs containers. It speaks of networks, images and replicas, so that an
 * engine of several machines can stand behind it. Every call has a deadline and rejects with an EngineError.
 */
import type { LineMask } from '../../specs/mask.ts';
import type { PullRequest, RegistryRequest } from './registry-request.ts';
import type { ExecEngine } from './exec.ts';
import type { EngineOutput } from './output.ts';
import type { Tuning } from './tuning.ts';
import type { EngineUsage } from './usage.ts';

export interface EngineInfo {
  version: string;
  /** Negotiated, such as `1.41`. */
  apiVersion: string;
  builder: 'buildkit' | 'classic';
  /** Directory of this host that it keeps everything in; absent where it is on another host. */
  root?: string;
}

/** `unavailable`: try again later. `not_found`, `conflict`: as they say. `refused`: the request itself is at fault. */
export type EngineErrorCode = 'unavailable' | 'not_found' | 'conflict' | 'refused' | 'aborted';

export class EngineError extends Error {
  readonly code: EngineErrorCode;
  constructor(code: EngineErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'EngineError';
    this.code = code;
  }
}

export type Labels = Readonly<Record<string, string>>;

export interface NetworkSpec {
  name: string;
  /** IPv4 CIDR. */
  subnet: string;
  labels: Labels;
}

export interface NetworkState {
  id: string;
  name: string;
  /** Empty when the engine gave none. */
  subnets: string[];
  labels: Labels;
}

/** A volume of the engine. */
export interface VolumeState {
  name: string;
  labels: Labels;
}

/** What a container finds at `target` instead of what its image has there. */
export type Mount =
  | { volume: string; target: string }
  /** A directory of the host: one that the replica owns (its socket directory), or that the node's operator has allowed. */
  | { source: string; target: string; readOnly?: true };

export interface ImageState {
  /** Content id. */
  id: string;
  tags: string[];
}

/** An image that the engine has. */
export interface ImageFacts {
  /** Content id. */
  id: string;
  /** Where it was pulled from or pushed to: `repository@sha256:…`. Empty for one that was only ever here. */
  digests: string[];
}

/** Where a container is in a network. */
export interface NetworkPlace {
  name: string;
  address: string;
}

export interface ContainerLimits {
  memoryBytes: number;
  cpus: number;
  pids: number;
}

/** A replica to create: everything the engine has to know, nothing that it decides. */
export interface ReplicaContainer {
  /** Deterministic, so that creating twice is creating once. */
  name: string;
  /** Content id of an image that the engine has. */
  image: string;
  /** Takes the place of the image's command; its entrypoint stays. */
  command?: readonly string[];
  env: Readonly<Record<string, string>>;
  labels: Labels;
  network: NetworkPlace;
  limits: ContainerLimits;
  mounts: readonly Mount[];
}

export interface ConnectedNetwork extends NetworkPlace {
  /** Of the network, which may be gone; empty where the engine does not know it before the start. */
  id: string;
}

export interface ContainerState {
  id: string;
  name: string;
  labels: Labels;
  image: string;
  state: 'created' | 'running' | 'exited';
  /** Whether its processes are frozen; then it is `running`. */
  paused: boolean;
  /** What it is connected to, or will be once it is started. */
  networks: readonly ConnectedNetwork[];
  /** As they are in force: Infinity where there is none, null where the engine cannot set one. */
  limits: { [Limit in keyof ContainerLimits]: number | null };
  /** Whether the engine would start it again by itself. */
  selfRestarting: boolean;
  tunings: readonly Tuning[];
  /** RFC 3339; null before the first start. */
  startedAt: string | null;
  /** Set when `state` is `exited`. */
  exit: { code: number; outOfMemory: boolean; at: string; error: string } | null;
}

/** What a container uses. Counters begin at zero with each run. */
export interface ReplicaStats {
  /** Processor time so far. */
  cpuSeconds: number;
  /** Now; without cached files that can be dropped. */
  memoryBytes: number;
  memoryLimitBytes: number | null;
  /** Over all its networks, so far. */
  receivedBytes: number;
  sentBytes: number;
  /** Processes and threads, now. */
  pids: number;
}

export interface BuildRequest {
  /** Canonical, uncompressed tar of the build context. */
  context: NodeJS.ReadableStream;
  /** Path of the Dockerfile inside the context. */
  dockerfile: string;
  /** Tag to give the image: deterministic, so that a finished build is found again after a crash. */
  tag: string;
  labels: Labels;
  /** Only builds of one scope share what steps cache (`RUN --mount=type=cache`). No stranger can guess it. */
  cacheScope: string;
  limits: { memoryBytes: number; cpus: number };
  onLine: (line: { stream: 'stdout' | 'stderr'; line: string }) => void;
  /** Makes what hides secrets in lines and errors of one step, by stream: steps run side by side, values span lines. */
  mask?: () => LineMask;
  signal: AbortSignal;
}

/** Something happened to a container that carries our labels, to a network, or to an image. Only a hint: read the state again. */
export interface EngineEvent {
  action: string;
  /** Its id; of a network's event the one that was connected or disconnected, whoever's it is, if that is what happened. */
  container: string | null;
  /** Of the container; none of a network's event, for engines do not tell them. */
  labels: Labels;
  /** Name of the network, of such an event. */
  network: string | null;
  /** Content id of the image that was removed, of such an event. */
  image?: string;
}

export interface Engine extends ExecEngine, EngineOutput {
  info(): Promise<EngineInfo>;

  /**
   * Creates the network, or takes the one of this name with its labels and range. Rejects with `conflict` when name or
   * range are somebody else's. @returns its id
   */
  ensureNetwork(spec: NetworkSpec): Promise<string>;
  /** All networks of the engine, so that subnets don't collide. */
  listNetworks(): Promise<NetworkState[]>;
  /** Succeeds when there is none; `conflict` while a container is attached. */
  removeNetwork(id: string): Promise<void>;

  /**
   * Builds an image. @returns its content id (`sha256:…`). Rejects with `refused` when the build itself failed: the message
   * is the failing step and its last lines. Reads the context to its end or destroys it.
   */
  build(request: BuildRequest): Promise<string>;
  /**
   * What a registry has under a reference, now. Pulls nothing. @returns digest of its manifest (`sha256:…`). Rejects with a
   * RegistryError (registry-error.ts) when the registry does not say, or what it has cannot run at this engine.
   */
  resolveImage(request: RegistryRequest): Promise<string>;
  /**
   * Pulls an image. Rejects with a RegistryError when the registry does not give it, or gives nothing for a while.
   */
  pullImage(request: PullRequest): Promise<ImageFacts>;
  /** An image by tag, id or digest (`repository@sha256:…`), if the engine has it. */
  inspectImage(reference: string): Promise<ImageFacts | undefined>;
  /** Images that were built with all of these labels. */
  listImages(labels: Labels): Promise<ImageState[]>;
  /** Content id of a tag or id the engine has, else undefined. */
  findImage(reference: string): Promise<string | undefined>;
  /**
   * Gives an image one more tag, taking it from whichever image has it. Rejects with `not_found` when there is no such image.
   * @param image its content id
   */
  tagImage(image: string, tag: string): Promise<void>;
  /**
   * Takes a tag away, and the image with its last one; of one that was pulled, what says from where goes along. Succeeds
   * when there is none; `conflict` while a container uses the image and this is its last tag.
   */
  removeImage(reference: string): Promise<void>;

  /**
   * Makes a volume, or takes the one of this name that carries these labels. Rejects with `conflict` when the name is
   * somebody else's.
   */
  ensureVolume(spec: VolumeState): Promise<void>;
  /** Volumes that carry all of these labels. */
  listVolumes(labels: Labels): Promise<VolumeState[]>;
  /** Removes it with all that is in it. Succeeds when there is none; `conflict` while a container has it, running or not. */
  removeVolume(name: string): Promise<void>;

  /** What everything takes on its disk. Slow where it has a lot; rejects with `unavailable` where that is too much. */
  diskUsage(): Promise<EngineUsage>;
  /**
   * Drops records of the build cache that nothing uses and that were not used for so long (milliseconds), whoever's they
   * are: the cache is the engine's. @returns bytes that were freed
   */
  pruneBuildCache(unusedForMs: number): Promise<number>;

  /**
   * Creates the container, or takes the one of this name that carries its labels. Rejects with `conflict` when the name
   * is somebody else's, with `not_found` when the image is gone. @returns its id
   */
  createReplica(spec: ReplicaContainer): Promise<string>;
  /**
   * Starts it; does nothing if it runs. Rejects with `refused` when the engine cannot run it (no such user, …), with
   * `conflict` while another container has its address. A command that is not there is no error of the start: the init
   * ends with 127 and says so in the output.
   */
  startReplica(id: string): Promise<void>;
  /**
   * SIGTERM (or what the image asks for, `STOPSIGNAL`), and SIGKILL after `graceMs`. Resolves when it has stopped or is
   * gone.
   */
  stopReplica(id: string, graceMs: number): Promise<void>;
  /** Kills and removes it. Succeeds when there is none. */
  removeReplica(id: string): Promise<void>;
  /** Lets it go on after it was paused; does nothing when it was not. */
  unpauseReplica(id: string): Promise<void>;
  /**
   * Connects it to a network, running or not. Rejects with `not_found` when either is gone, and, of one that runs, with
   * `conflict` when it is connected already, or while another container has the address.
   */
  connectReplica(id: string, network: NetworkPlace): Promise<void>;
  /** Gives it another name. Rejects with `conflict` when another container has that, with `not_found` when it is gone. */
  renameReplica(id: string, name: string): Promise<void>;
  /** Succeeds when it is not connected, or when either is gone. @param network its name */
  disconnectReplica(id: string, network: string): Promise<void>;
  /**
   * Sets its limits, running or not, that the engine does not restart it by itself, and all tunings back that do not last.
   * Rejects with `refused` when that
   * cannot be done in place, such as memory below what it uses where the kernel does not take that.
   */
  limitReplica(id: string, limits: ContainerLimits): Promise<void>;
  inspectReplica(id: string): Promise<ContainerState | undefined>;
  /** Containers that carry all of these labels, whatever their state. */
  listReplicas(labels: Labels): Promise<ContainerState[]>;
  /** What containers use, by id; only of those that are there and run. Cheap: asked every few seconds. */
  replicaStats(ids: readonly string[]): Promise<Map<string, ReplicaStats>>;

  /**
   * Events of containers with these labels, and of all networks and removed images, until the signal aborts. Throws when the stream breaks: relist, then call
   * again. Starts some seconds back, so that nothing is lost between the list and the call; the same event may come twice.
   */
  events(labels: Labels, signal: AbortSignal): AsyncIterable<EngineEvent>;
}
