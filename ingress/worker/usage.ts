/** Counts what is under way per replica, so that the control plane knows when one that left the routes may stop. */

export interface Usage {
  /** A request, or a tunnel, of the replica begins. @returns to be called once at its end; more calls do nothing */
  begin(replica: string): () => void;
  /** Replicas with something under way that are not routed. */
  busy(): string[];
}

/** @param idle called when the last one of a replica that is not routed ends */
export function createUsage(routed: (replica: string) => boolean, idle: (replica: string) => void): Usage {
  const counts = new Map<string, number>();
  const end = (replica: string): void => {
    const left = (counts.get(replica) ?? 1) - 1;
    if (left > 0) return void counts.set(replica, left);
    counts.delete(replica);
    if (!routed(replica)) idle(replica);
  };
  return {
    begin(replica) {
      counts.set(replica, (counts.get(replica) ?? 0) + 1);
      let under = true;
      return () => {
        if (under) end(replica);
        under = false;
      };
    },
    busy: () => [...counts.keys()].filter((replica) => !routed(replica)),
  };
}
