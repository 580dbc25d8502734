/** Says in the log why a replica is not reached, without flooding it. One per replica. */
import type { ReportProblem } from '../member.ts';

/** Milliseconds between two lines about one replica. */
const every = 60_000;

/** Milliseconds for a workload to begin to listen: until then the health gate says what it waits for. */
const starting = 30_000;

export interface Complaints {
  reached(): void;
  unreached(error: Error): void;
}

/** @param now milliseconds, monotonic */
export function createComplaints(replica: string, report: ReportProblem, now: () => number): Complaints {
  let notBefore = now() + starting;
  let [wasReached, unsaid] = [false, 0];
  return {
    reached() {
      // What has listened once is expected to go on.
      if (!wasReached) notBefore = now();
      wasReached = true;
    },
    unreached({ message }) {
      unsaid += 1;
      if (now() < notBefore) return;
      report('cannot reach a replica', { replica, error: message, connections: unsaid });
      notBefore = now() + every;
      unsaid = 0;
    },
  };
}
