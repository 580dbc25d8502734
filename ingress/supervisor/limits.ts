/** How long the supervisor waits for what. Milliseconds. */

export interface Limits {
  /** From the start of a process to its hello; then it is killed. */
  boot: number;
  /** For a process that lost its connection to dial home; then it is replaced. */
  redial: number;
  /** For it to dial home or end although it was replaced; then it is killed. */
  lost: number;
  /** From a snapshot to its acknowledgement; then the process is killed. */
  ack: number;
  /** A process that lives for so long is well: its slot's failures are forgotten. */
  stable: number;
  /** Longest wait before a process that dies at once is started again. */
  backoff: number;
  /** Drain of a process that another has replaced: kept-alive connections, and all that is under way. */
  replacedIdle: number;
  replaced: number;
  /** Drain of all of them at a clean stop. */
  closed: number;
  /** What a drain may take over its limit before the process is killed. */
  overtime: number;
  /** For the first processes to be there; then `start` rejects. */
  start: number;
}

export const defaultLimits: Limits = {
  boot: 15_000,
  redial: 1_000,
  lost: 10_000,
  ack: 10_000,
  stable: 5_000,
  backoff: 10_000,
  replacedIdle: 30_000,
  replaced: 300_000,
  closed: 10_000,
  overtime: 2_000,
  start: 30_000,
};
