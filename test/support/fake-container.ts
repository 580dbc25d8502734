/** A container of the fake engine: a state machine that the test moves (created → running → exited → running …). */
import type { Clock } from '../../specs/clock.ts';
import { timestamp } from '../../specs/meta.ts';
import {
  EngineError,
  type ContainerState,
  type EngineLogLine,
  type ReplicaContainer,
} from '../../controllers/engine/engine.ts';
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
  private startedAt: string | null = null;
  private exited: ContainerState['exit'] = null;
  private printed = 0;

  constructor(
    id: string,
    spec: ReplicaContainer,
    program: Program,
    clock: Clock,
    tell: (action: string) => void,
  ) {
    this.id = id;
    this.spec = spec;
    this.program = program;
    this.clock = clock;
    this.tell = tell;
  }

  get isRunning(): boolean {
    return this.startedAt !== null && this.exited === null;
  }

  inspect(): ContainerState {
    const { name, labels, image } = this.spec;
    const state = this.startedAt === null ? 'created' : this.exited ? 'exited' : 'running';
    return { id: this.id, name, labels, image, state, startedAt: this.startedAt, exit: this.exited };
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
    // The engine's times have nanoseconds; the count keeps lines of one millisecond apart, as they are there.
    const at = timestamp(this.clock.now()).replace(
      'Z',
      `${String(this.printed++ % 1_000_000).padStart(6, '0')}Z`,
    );
    const entry = { at, stream, line };
    this.lines.push(entry);
    for (const follower of this.followers) follower.push(entry);
  }

  /** The workload ends. Does nothing unless it runs. */
  exit(code: number, outOfMemory = false): void {
    if (!this.isRunning) return;
    this.exited = { code, outOfMemory, at: timestamp(this.clock.now()), error: '' };
    if (outOfMemory) this.tell('oom');
    this.tell('die');
    for (const follower of this.followers) follower.end();
    this.followers.clear();
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

  async *logs(options: {
    since?: string;
    follow: boolean;
    signal: AbortSignal;
  }): AsyncGenerator<EngineLogLine, undefined> {
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

  /** The engine went away: what follows the output breaks. */
  breakFollowers(error: Error): void {
    for (const follower of this.followers) follower.end(error);
    this.followers.clear();
  }
}
