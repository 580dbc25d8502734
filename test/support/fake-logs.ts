/** Logs in memory. Tells how many listeners are left and how far its reader has come. */
import type {
  DeploymentLogItem,
  LogReader,
  RunLogItem,
  WorkloadLogItem,
  WorkloadLogQuery,
} from '../../api/ports.ts';
import type { DeploymentLogEntry, RunLogEntry, WorkloadLogLine } from '../../specs/log-entry.ts';

export class FakeLogs implements LogReader {
  private readonly deployments = new Map<string, DeploymentLogEntry[]>();
  private readonly runs = new Map<string, RunLogEntry[]>();
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
    const { after = 0, upTo = Infinity, since = '', tail, replica, lead = 0 } = query;
    // Neither deployments nor runs are told apart here: the real logs are tested for that.
    const all = (this.workloads.get(serviceId) ?? [])
      .map((line, i) => ({ seq: i + 1, line }))
      .filter(({ seq, line }) => seq <= upTo && (replica === undefined || line.replica === replica));
    const wanted = all.filter(({ seq, line }) => seq > after && line.at >= since);
    const items = tail === undefined ? wanted : wanted.slice(Math.max(0, wanted.length - tail));
    for (const id of new Set(all.map(({ line }) => line.replica))) {
      const first = items.find(({ line }) => line.replica === id)?.seq ?? Infinity;
      const before = all.filter(({ seq, line }) => line.replica === id && seq < first);
      if (lead > 0) for (const item of before.slice(-lead)) yield { ...item, isLead: true };
    }
    yield* this.reading(query.previous === true ? [] : items);
  }

  lastWorkloadLine(serviceId: string): Promise<number> {
    return Promise.resolve(this.workloads.get(serviceId)?.length ?? 0);
  }

  loggedReplicas(serviceId: string): Promise<{ replica: string; deployment: string }[]> {
    const replicas = new Set((this.workloads.get(serviceId) ?? []).map(({ replica }) => replica));
    return Promise.resolve([...replicas].map((replica) => ({ replica, deployment: 'dep_1' })));
  }

  printRun(runId: string, ...entries: RunLogEntry[]): void {
    push(this.runs, runId, entries);
    this.tell(runId);
  }

  async *runLog(id: string, after: number): AsyncGenerator<RunLogItem> {
    yield* this.reading((this.runs.get(id) ?? []).map((entry, i) => ({ seq: i + 1, entry })).slice(after));
  }

  onRunLog(id: string, listener: () => void): () => void {
    return this.listen(id, listener);
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
