/** What the API needs from the rest of the node, declared by it and handed in by the composition root. */
import type { Readable } from 'node:stream';
import type { DeploymentLogEntry, WorkloadLogLine } from '../specs/log-entry.ts';
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
}

export interface WorkloadLogQuery {
  /** Only lines with a greater `seq`. */
  after?: number;
  /** Only lines with at most this `seq`. */
  upTo?: number;
  /** Only lines of this time (RFC 3339) or later. */
  since?: string;
  /** Only the last so many of what is left. */
  tail?: number;
  /** Id of one replica. */
  replica?: string;
}

/** Reads logs up to the end of what is there, and tells when there is more. */
export interface LogReader {
  /** Entries whose `seq` is greater than `after`, oldest first; none when there is no log. */
  deploymentLog(id: string, after: number): AsyncIterable<DeploymentLogItem>;
  /** Calls back after an entry was appended. @returns unsubscribe */
  onDeploymentLog(id: string, listener: () => void): () => void;
  workloadLog(serviceId: string, query: WorkloadLogQuery): AsyncIterable<WorkloadLogItem>;
  onWorkloadLog(serviceId: string, listener: () => void): () => void;
}

/** Gives the node a new key and seals everything anew under it. Throws `conflict` while it is under way already. */
export type RotateNodeKey = () => Promise<RotatedKey>;

/** The node's own state. */
export interface NodeState {
  /** As last seen; does not ask the engine. */
  engine(): NodeResource['engine'];
  ingress(): NodeResource['ingress'];
  /** What keeps the node from serving, one sentence each; none when it is ready. */
  unready(): Promise<string[]>;
}
