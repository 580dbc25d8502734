/** A container of the fake engine: a state machine that the test moves (created → running → exited → running …). */
import type { Clock } from '../../specs/clock.ts';
import { timestamp } from '../../specs/meta.ts';
import {
  EngineError,
  type ConnectedNetwork,
  type ContainerLimits,
  type ContainerState,
  type ReplicaContainer,
  type ReplicaStats,
} from '../../controllers/engine/engine.ts';
import type { ExecRequest, ExecSession } from '../../controllers/engine/exec.ts';
import type { EngineLogLine, LogRequest } from '../../controllers/engine/output.ts';
import type { Tuning } from '../../controllers/engine/tuning.ts';
import { FakeExec } from './fake-exec.ts';
import { Feed } from './feed.ts';

/** What a workload does by itself once it is started. `{}` runs silently until it is stopped. */
export interface Program {
  prints?: readonly string[];
  /** Ends at once with this code. */
  exits?: number;
  /** Ends at once because it used too much memory. */
  outOfMemory?: true;
  /** The engine refuses to start it, with this message. */
  refuses?: string;
  /** Only SIGKILL ends it. */
  ignoresTerm?: true;
}

export class FakeContainer {
  readonly id: string;
  readonly spec: ReplicaContainer;
  private readonly program: Program;
  private readonly clock: Clock;
  private readonly tell: (action: string) => void;
  private readonly lines: EngineLogLine[] = [];
  private readonly followers = new Set<Feed<EngineLogLine>>();
  private readonly attached = new Set<Feed<EngineLogLine>>();
  private readonly execs = new Set<FakeExec>();
  /** What it uses while it runs, as the test says. */
  uses: Partial<ReplicaStats> = {};
  name: string;
  /** What it is connected to. */
  networks: ConnectedNetwork[] = [];
  private limits: ContainerState['limits'];
  private tunings: readonly Tuning[] = [];
  private paused = false;
  private startedAt: string | null = null;
  private exited: ContainerState['exit'] = null;
  private printed = 0;
  private made = 0;

  constructor(
    id: string,
    spec: ReplicaContainer,
    program: Program,
    clock: Clock,
    tell: (action: string) => void,
  ) {
    this.id = id;
    this.spec = spec;
    this.name = spec.name;
    this.limits = spec.limits;
    this.program = program;
    this.clock = clock;
    this.tell = tell;
  }

  get isRunning(): boolean {
    return this.startedAt !== null && this.exited === null;
  }

  inspect(): ContainerState {
    const { labels, image } = this.spec;
    const state = this.startedAt === null ? 'created' : this.exited ? 'exited' : 'running';
    const { name, networks, limits, tunings, paused, startedAt } = this;
    return {
      id: this.id,
      name,
      labels,
      image,
      state,
      paused,
      networks: [...networks],
      limits,
      selfRestarting: false,
      tunings,
      startedAt,
      exit: this.exited,
    };
  }

  /** Somebody freezes its processes. Does nothing unless it runs. */
  pause(): void {
    if (!this.isRunning || this.paused) return;
    this.paused = true;
    this.tell('pause');
  }

  unpause(): void {
    if (!this.paused) return;
    this.paused = false;
    this.tell('unpause');
  }

  get isPaused(): boolean {
    return this.paused;
  }

  connect(network: ConnectedNetwork): void {
    const others = this.networks.filter(({ name }) => name !== network.name);
    if (this.isRunning && others.length < this.networks.length)
      throw new EngineError('conflict', 'The container is connected to the network already');
    this.networks = [...others, network];
  }

  /** @returns whether it was connected */
  disconnect(network: string): boolean {
    const before = this.networks.length;
    this.networks = this.networks.filter(({ name }) => name !== network);
    return this.networks.length < before;
  }

  limit(limits: ContainerLimits): void {
    if (this.isRunning && limits.memoryBytes < (this.uses.memoryBytes ?? 0))
      throw new EngineError('refused', 'The engine cannot change the limits while it runs: resource busy');
    this.limits = limits;
    this.tunings = this.tunings.filter(({ lasting }) => lasting);
    this.tell('update');
  }

  /** Somebody sets something at it that svc never sets. */
  tune(tuning: Tuning): void {
    this.tunings = [...this.tunings, tuning];
    this.tell('update');
  }

  stats(): ReplicaStats | undefined {
    if (!this.isRunning) return undefined;
    const memoryLimitBytes = this.limits.memoryBytes;
    const little = { cpuSeconds: 0, memoryBytes: 2 ** 20, receivedBytes: 0, sentBytes: 0, pids: 1 };
    return { ...little, memoryLimitBytes, ...this.uses };
  }

  start(): void {
    if (this.isRunning) return;
    if (this.program.refuses !== undefined) throw new EngineError('refused', this.program.refuses);
    this.startedAt = timestamp(this.clock.now());
    this.exited = null;
    this.tell('start');
    for (const line of this.program.prints ?? []) this.print(line);
    if (this.program.outOfMemory) this.outOfMemory();
    else if (this.program.exits !== undefined) this.exit(this.program.exits);
  }

  /** The workload prints a line. */
  print(line: string, stream: EngineLogLine['stream'] = 'stdout'): void {
    const entry = this.keep(line, stream);
    for (const feed of [...this.followers, ...this.attached]) feed.push(entry);
  }

  /**
   * The workload ends with words without a line end. Docker keeps them once it has read to the end, and often has told those
   * who follow the log by then that there is no more.
   */
  breakOff(words: string, code: number): void {
    this.exit(code);
    this.keep(words, 'stdout');
  }

  /** The workload ends. Does nothing unless it runs. */
  exit(code: number, outOfMemory = false): void {
    if (!this.isRunning) return;
    this.paused = false;
    this.exited = { code, outOfMemory, at: timestamp(this.clock.now()), error: '' };
    if (outOfMemory) this.tell('oom');
    this.tell('die');
    for (const feed of [...this.followers, ...this.attached]) feed.end();
    this.followers.clear();
    for (const exec of this.execs) exec.end(137);
    this.execs.clear();
  }

  private keep(line: string, stream: EngineLogLine['stream']): EngineLogLine {
    // The engine's times have nanoseconds; the count keeps lines of one millisecond apart, as they are there.
    const at = timestamp(this.clock.now()).replace(
      'Z',
      `${String(this.printed++ % 1_000_000).padStart(6, '0')}Z`,
    );
    const entry = { at, stream, line };
    this.lines.push(entry);
    return entry;
  }

  /** Runs a command beside the workload: one of fake-exec.ts. */
  async exec(request: ExecRequest): Promise<ExecSession> {
    if (!this.isRunning) throw new EngineError('conflict', 'The container does not run');
    await request.made?.(`exec-${++this.made}`);
    const exec = new FakeExec(request);
    this.execs.add(exec);
    return exec;
  }

  /** Ends the commands of this mark. */
  endExec(mark: string): void {
    for (const exec of this.execs) if (exec.mark === mark) exec.end(129);
  }

  /** The workload is killed over its memory limit. */
  outOfMemory(): void {
    this.exit(137, true);
  }

  async stop(graceMs: number): Promise<void> {
    if (!this.isRunning) return;
    if (!this.program.ignoresTerm) {
      this.exit(143);
      return;
    }
    await new Promise<void>((resolve) => this.clock.after(graceMs, resolve));
    this.exit(137);
  }

  async *logs(options: LogRequest): AsyncGenerator<EngineLogLine, undefined> {
    const feed = new Feed<EngineLogLine>();
    const { since } = options;
    for (const line of this.lines) if (since === undefined || line.at >= since) feed.push(line);
    if (options.follow && this.isRunning) this.followers.add(feed);
    else feed.end();
    options.signal.addEventListener('abort', () => feed.end(), { once: true });
    if (options.signal.aborted) feed.end();
    try {
      yield* feed;
    } finally {
      this.followers.delete(feed);
    }
  }

  /** What it prints from now on. Nobody is held up by it here: `print` cannot wait. */
  async *output(signal: AbortSignal): AsyncGenerator<Buffer, undefined> {
    const feed = new Feed<EngineLogLine>();
    this.attached.add(feed);
    if (!this.isRunning || signal.aborted) feed.end();
    signal.addEventListener('abort', () => feed.end(), { once: true });
    try {
      for await (const { line } of feed) yield Buffer.from(`${line}\n`);
    } finally {
      this.attached.delete(feed);
    }
  }

  /** Whether somebody reads its output beside its log. */
  get isAttached(): boolean {
    return this.attached.size > 0;
  }

  /** The engine went away: what follows the output breaks. */
  breakFollowers(error: Error): void {
    for (const feed of [...this.followers, ...this.attached]) feed.end(error);
    this.followers.clear();
  }
}
