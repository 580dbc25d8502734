/** What the engine port says about the output of containers. */

export interface EngineLogLine {
  /** RFC 3339 with nanoseconds, as the engine recorded it. */
  at: string;
  stream: 'stdout' | 'stderr';
  line: string;
}

export interface LogRequest {
  /** RFC 3339, inclusive. */
  since?: string;
  follow: boolean;
  signal: AbortSignal;
}

export interface EngineOutput {
  /**
   * Lines that a container printed from `since` on; ends when it stops (or at once without
   * `follow`), or when the signal aborts. An engine that is shut down ends it as well: look whether the container still
   * runs, and follow on from the last line's time. Throws `not_found`, or `unavailable` when the stream breaks.
   */
  replicaLogs(id: string, request: LogRequest): AsyncIterable<EngineLogLine>;
  /**
   * What a container that runs prints from now on, beside its log, as bytes near enough to measure it. Whoever takes it slowly
   * holds the workload up: once about a megabyte waits, it waits at its next write, and the engine at its end. So read on,
   * or abort. Ends with the container, or when the signal aborts. Throws `not_found`, or `unavailable` when it breaks.
   */
  replicaOutput(id: string, signal: AbortSignal): AsyncIterable<Buffer>;
}
