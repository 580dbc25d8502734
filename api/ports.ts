/** What the API needs from the rest of the node, declared by it and handed in by the composition root. */
import type { Readable, Writable } from 'node:stream';
import type { TerminalSize } from '../specs/console.ts';
import type { Disk, GarbageReport } from '../specs/gc.ts';
import type { DeploymentLogEntry, RunLogEntry, WorkloadLogLine } from '../specs/log-entry.ts';
import type { WorkloadFigures } from '../specs/metrics.ts';
import type { NodeResource, RotatedKey } from '../specs/resources.ts';

/** Facts about an archive that was checked and staged. */
export interface ReceivedUpload {
  /** Bytes as they came. */
  bytes: number;
  /** Bytes of the files in it. */
  unpacked_bytes: number;
  entries: number;
  sha256: string;
}

export interface UploadReceiver {
  /**
   * Checks and stages an archive while it flows. Rejects with a ProblemError that says what is wrong with it
   * (`bad_request`, `too_large`), or with the signal's reason.
   */
  receive(uploadId: string, body: Readable, signal: AbortSignal): Promise<ReceivedUpload>;
  /** Removes whatever was staged under this id, if anything. */
  discard(uploadId: string): Promise<void>;
}

/** An entry and its place in the log. `seq` starts at 1 and only grows; it is what a client resumes from. */
export interface DeploymentLogItem {
  seq: number;
  entry: DeploymentLogEntry;
}

export interface WorkloadLogItem {
  seq: number;
  line: WorkloadLogLine;
  /** Not asked for: it leads up to what was. */
  isLead?: true;
}

export interface WorkloadLogQuery {
  /** Only lines with a greater `seq`, in the order of those numbers; without it they come in the order of their times. */
  after?: number;
  /** Only lines with at most this `seq`. */
  upTo?: number;
  /** Only lines of this time (RFC 3339) or later. */
  since?: string;
  /** Only the last so many of what is left. */
  tail?: number;
  /** Id of one replica. */
  replica?: string;
  /** Id of one deployment. */
  deployment?: string;
  /** Of each replica the run before its present one. */
  previous?: boolean;
  /** So many lines of each replica before its first one come first of all, marked as such. */
  lead?: number;
}

export interface RunLogItem {
  seq: number;
  entry: RunLogEntry;
}

/** Reads logs up to the end of what is there, and tells when there is more. */
export interface LogReader {
  /** Entries whose `seq` is greater than `after`, oldest first; none when there is no log. */
  deploymentLog(id: string, after: number): AsyncIterable<DeploymentLogItem>;
  /** Calls back after an entry was appended. @returns unsubscribe */
  onDeploymentLog(id: string, listener: () => void): () => void;
  /** As deploymentLog, of a run. */
  runLog(id: string, after: number): AsyncIterable<RunLogItem>;
  onRunLog(id: string, listener: () => void): () => void;
  workloadLog(serviceId: string, query: WorkloadLogQuery): AsyncIterable<WorkloadLogItem>;
  /** Number of the last line that can be read; 0 without any. */
  lastWorkloadLine(serviceId: string): Promise<number>;
  /** Of which replicas something is kept, also of those that are gone. */
  loggedReplicas(serviceId: string): Promise<{ replica: string; deployment: string }[]>;
  onWorkloadLog(serviceId: string, listener: () => void): () => void;
}

/** Gives the node a new key and seals everything anew under it. Throws `conflict` while it is under way already. */
export type RotateNodeKey = () => Promise<RotatedKey>;

/** The node's own state. */
export interface NodeState {
  /** As last seen; does not ask the engine. */
  engine(): NodeResource['engine'];
  ingress(): NodeResource['ingress'];
  /** As last seen; does not look. */
  disks(): Disk[];
  /** What keeps the node from serving, one sentence each; none when it is ready. */
  unready(): Promise<string[]>;
}

/** Collects what nothing needs any more, and says whether there is room for more. */
export interface Garbage {
  /** Throws `unavailable` when the engine is out of reach. */
  collect(dryRun: boolean): Promise<GarbageReport>;
  /** To be called before something that takes room. Throws `unavailable` while a disk of the node is below its floor. */
  requireRoom(): Promise<void>;
}

/** What workloads use and answer, as it was read last; asking costs nothing. */
export interface WorkloadMetrics {
  /** Of these replicas, each and together; those of which nothing is known are not in it. */
  figures(replicas: readonly string[]): {
    each: ReadonlyMap<string, WorkloadFigures>;
    total: WorkloadFigures;
  };
  /** RFC 3339 time of the newest sample; null before the first. */
  sampledAt(): string | null;
  /** Milliseconds that rates and latencies are taken over. */
  readonly windowMs: number;
}

export interface ConsoleRequest {
  command: readonly string[];
  tty: boolean;
  size?: TerminalSize;
}

/** A command that runs beside a workload. Whoever has it closes it. */
export interface ConsoleProcess {
  /** Its input. The end of it is the end of the command's input. */
  stdin: Writable;
  /** What it prints: who does not read slows it down. To be read once. Ends with the command. */
  output: AsyncIterable<{ stream: 'stdout' | 'stderr'; data: Buffer }>;
  resize(size: TerminalSize): Promise<void>;
  /** To be asked once the output has ended. */
  exitCode(): Promise<number>;
  /** Ends the command and what it has started, if it goes on. Rejects when that did not work. */
  close(): Promise<void>;
}

export interface Console {
  /**
   * Runs a command in the container of a replica. Throws ProblemErrors: `conflict` when it does not run any more,
   * `unavailable` when the engine is out of reach.
   * @param container as the replica's status has it
   */
  open(container: string, request: ConsoleRequest): Promise<ConsoleProcess>;
}
