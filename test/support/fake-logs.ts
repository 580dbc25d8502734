/** Logs in memory. Tells how many listeners are left and how far its reader has come. */
import type { DeploymentLogItem, LogReader, WorkloadLogItem, WorkloadLogQuery } from '../../api/ports.ts';
import type { DeploymentLogEntry, WorkloadLogLine } from '../../specs/log-entry.ts';

export class FakeLogs implements LogReader {
  private readonly deployments = new Map<string, DeploymentLogEntry[]>();
  private readonly workloads = new Map<string, WorkloadLogLine[]>();
  private readonly listeners = new Map<string, Set<() => void>>();
  /** Entries handed out so far. */
  read = 0;
  /** Readings that are under way. */
  open = 0;
  /** Set to let every reading fail. */
  failure: Error | undefined;

  append(deploymentId: string, ...entries: DeploymentLogEntry[]): void {
    push(this.deployments, deploymentId, entries);
    this.tell(deploymentId);
  }

  print(serviceId: string, ...lines: WorkloadLogLine[]): void {
    push(this.workloads, serviceId, lines);
    this.tell(serviceId);
  }

  get listening(): number {
    return [...this.listeners.values()].reduce((sum, set) => sum + set.size, 0);
  }

  async *deploymentLog(id: string, after: number): AsyncGenerator<DeploymentLogItem> {
    yield* this.reading(
      (this.deployments.get(id) ?? []).map((entry, i) => ({ seq: i + 1, entry })).slice(after),
    );
  }

  async *workloadLog(serviceId: string, query: WorkloadLogQuery): AsyncGenerator<WorkloadLogItem> {
    const { after = 0, upTo = Infinity, since = '', tail, replica } = query;
    const items = (this.workloads.get(serviceId) ?? [])
      .map((line, i) => ({ seq: i + 1, line }))
      .filter(
        ({ seq, line }) =>
          seq > after &&
          seq <= upTo &&
          line.at >= since &&
          (replica === undefined || line.replica === replica),
      );
    yield* this.reading(tail === undefined ? items : items.slice(Math.max(0, items.length - tail)));
  }

  onDeploymentLog(id: string, listener: () => void): () => void {
    return this.listen(id, listener);
  }

  onWorkloadLog(serviceId: string, listener: () => void): () => void {
    return this.listen(serviceId, listener);
  }

  private async *reading<T>(items: T[]): AsyncGenerator<T> {
    await Promise.resolve();
    if (this.failure) throw this.failure;
    this.open += 1;
    try {
      for (const item of items) {
        this.read += 1;
        yield item;
      }
    } finally {
      this.open -= 1;
    }
  }

  private listen(id: string, listener: () => void): () => void {
    const set = this.listeners.get(id) ?? new Set();
    this.listeners.set(id, set.add(listener));
    return () => set.delete(listener);
  }

  private tell(id: string): void {
    for (const listener of this.listeners.get(id) ?? []) listener();
  }
}

function push<T>(map: Map<string, T[]>, id: string, items: T[]): void {
  map.set(id, [...(map.get(id) ?? []), ...items]);
}
