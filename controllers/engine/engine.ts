/**
 * The engine port: what svc needs of whatever runs containers. It speaks of networks, images and replicas, so that an
 * engine of several machines can stand behind it. Every call has a deadline and rejects with an EngineError.
 */
import type { LineMask } from '../../specs/mask.ts';

export interface EngineInfo {
  version: string;
  /** Negotiated, such as `1.41`. */
  apiVersion: string;
  builder: 'buildkit' | 'classic';
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

export interface ImageState {
  /** Content id. */
  id: string;
  tags: string[];
}

/** A replica to create: everything the engine has to know, nothing that it decides. */
export interface ReplicaContainer {
  /** Deterministic, so that creating twice is creating once. */
  name: string;
  /** Content id of an image that the engine has. */
  image: string;
  env: Readonly<Record<string, string>>;
  labels: Labels;
  network: { name: string; address: string };
  limits: { memoryBytes: number; cpus: number; pids: number };
  /** Host directories that the replica owns (its socket directory). Never from a manifest. */
  mounts: readonly { source: string; target: string }[];
}

export interface ContainerState {
  id: string;
  name: string;
  labels: Labels;
  image: string;
  state: 'created' | 'running' | 'exited';
  /** RFC 3339; null before the first start. */
  startedAt: string | null;
  /** Set when `state` is `exited`. */
  exit: { code: number; outOfMemory: boolean; at: string; error: string } | null;
}

export interface EngineLogLine {
  /** RFC 3339 with nanoseconds, as the engine recorded it. */
  at: string;
  stream: 'stdout' | 'stderr';
  line: string;
}

export interface BuildRequest {
  /** Canonical, uncompressed tar of the build context. */
  context: NodeJS.ReadableStream;
  /** Path of the Dockerfile inside the context. */
  dockerfile: string;
  /** Tag to give the image: deterministic, so that a finished build is found again after a crash. */
  tag: string;
  labels: Labels;
  limits: { memoryBytes: number; cpus: number };
  onLine: (line: { stream: 'stdout' | 'stderr'; line: string }) => void;
  /**
   * Makes what hides secrets in the output of one step, by stream: steps run side by side, and a value may be split over the
   * lines of one of them. Lines, and what an error repeats of them, come through it.
   */
  mask?: () => LineMask;
  signal: AbortSignal;
}

/** Something happened to a container that carries our labels. Only a hint: read the state again. */
export interface EngineEvent {
  action: string;
  container: string;
  labels: Labels;
}

export interface Engine {
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
   * Takes a tag away, and the image with its last one. Succeeds when there is none; `conflict` while a container uses the
   * image and this is its last tag.
   */
  removeImage(reference: string): Promise<void>;

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
  inspectReplica(id: string): Promise<ContainerState | undefined>;
  /** Containers that carry all of these labels, whatever their state. */
  listReplicas(labels: Labels): Promise<ContainerState[]>;
  /**
   * Lines that a container printed from `since` (RFC 3339, inclusive) on; ends when it stops (or at once without
   * `follow`), or when the signal aborts. An engine that is shut down ends it as well: look whether the container still
   * runs, and follow on from the last line's time. Throws `not_found`, or `unavailable` when the stream breaks.
   */
  replicaLogs(
    id: string,
    options: { since?: string; follow: boolean; signal: AbortSignal },
  ): AsyncIterable<EngineLogLine>;

  /**
   * Events of containers with these labels, until the signal aborts. Throws when the stream breaks: relist, then call
   * again. Starts some seconds back, so that nothing is lost between the list and the call; the same event may come twice.
   */
  events(labels: Labels, signal: AbortSignal): AsyncIterable<EngineEvent>;
}
