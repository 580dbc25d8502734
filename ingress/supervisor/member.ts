/** A worker or the bridge, seen from the control plane: what it serves, and how long it may take for what. */
import type { ChildProcess } from 'node:child_process';
import type { Clock } from '../../specs/clock.ts';
import type { Channel } from '../channel.ts';
import type { ProcessOptions } from '../process-options.ts';
import { protocolVersion, type Applied, type DrainLimits, type Hello, type ToMember } from '../protocol.ts';
import type { Snapshot } from '../snapshot.ts';
import { deadline } from './deadline.ts';
import type { Limits } from './limits.ts';
import type { Standing } from './plan.ts';

export interface MemberDeps {
  clock: Clock;
  limits: Limits;
  /** Version of the program that is wanted. */
  wanted: string;
  /** It has lived for a while. */
  well(): void;
  /** It is late with what is named; it should be killed. */
  overdue(what: string): void;
  /** It should have dialed home by now; another may take its place. */
  missing(): void;
}

/**
 * ```
 * spawned ─┐             ┌─ lost ←┐
 *          ├→ connected ─┤        │ connection closed
 * found ───┘      ↑      └────────┘
 *                 └─ redial        each of them → draining → ended, or killed when overdue
 * ```
 */
export class Member {
  readonly pid: number;
  readonly options: ProcessOptions;
  /** Only of those that this control plane started. */
  readonly child: ChildProcess | undefined;
  revision = 0;
  busy: ReadonlySet<string> = new Set();
  draining = false;
  readonly #deps: MemberDeps;
  readonly #deadlines = new Map<string, () => void>();
  #channel: Channel<ToMember> | undefined;
  #expected = true;
  #foreign = false;
  /** Revision of the snapshot whose acknowledgement is waited for; 0: none. */
  #asked = 0;

  constructor(pid: number, options: ProcessOptions, child: ChildProcess | undefined, deps: MemberDeps) {
    this.pid = pid;
    this.options = options;
    this.child = child;
    this.#deps = deps;
    this.#set('well', deps.limits.stable, () => deps.well());
    if (child === undefined) this.#expectRedial();
    else this.#within('start', deps.limits.boot);
  }

  get connected(): boolean {
    return this.#channel !== undefined;
  }

  /** Revision of the snapshot that it was sent and did not acknowledge yet; 0: none. */
  get sent(): number {
    return this.#asked;
  }

  standing(): Standing {
    return {
      role: this.options.role,
      slot: this.options.slot,
      pid: this.pid,
      current: !this.#foreign && this.options.program === this.#deps.wanted,
      ready: this.connected,
      expected: this.#expected,
      draining: this.draining,
    };
  }

  connect(channel: Channel<ToMember>, hello: Hello): void {
    this.#channel?.close();
    this.#channel = channel;
    this.#foreign = hello.protocol !== protocolVersion;
    this.#expected = true;
    this.#met('start', 'redial', 'return', 'acknowledge');
    this.#asked = 0;
    this.#serves(hello);
    if (hello.draining && !this.draining) this.#leaving(this.#deps.limits.replaced);
  }

  /** @returns false when it was not this channel that is in use any longer */
  disconnect(channel: Channel<ToMember>): boolean {
    if (this.#channel !== channel) return false;
    this.#channel = undefined;
    this.#met('acknowledge');
    this.#expectRedial();
    return true;
  }

  /** Sends the snapshot unless it has it, or owes an acknowledgement: then it gets the newest after that. */
  offer(snapshot: Snapshot): void {
    if (this.#foreign || this.#asked !== 0 || snapshot.revision <= this.revision) return;
    if (this.#channel === undefined) return;
    this.#asked = snapshot.revision;
    this.#within('acknowledge', this.#deps.limits.ack);
    this.#channel.send({
      type: 'snapshot',
      snapshot: this.options.role === 'bridge' ? onlyBridges(snapshot) : snapshot,
    });
  }

  /** Only the workers speak TLS. @param keys base64 */
  seal(keys: string | undefined): void {
    if (this.options.role === 'worker' && keys !== undefined) this.#channel?.send({ type: 'tickets', keys });
  }

  applied(message: Applied): void {
    this.#serves(message);
    if (message.revision < this.#asked) return;
    this.#asked = 0;
    this.#met('acknowledge');
  }

  idle(replicaId: string): void {
    this.busy = new Set([...this.busy].filter((id) => id !== replicaId));
  }

  drain(limits: DrainLimits): void {
    this.#leaving(limits.limit_ms);
    if (this.#channel !== undefined) this.#channel.send({ type: 'drain', ...limits });
    else this.signal('SIGTERM');
  }

  signal(name: 'SIGTERM' | 'SIGKILL'): void {
    try {
      process.kill(this.pid, name);
    } catch (error) {
      // It ended in this very moment, which is what was wanted.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  dispose(): void {
    for (const cancel of this.#deadlines.values()) cancel();
    this.#deadlines.clear();
    this.#channel?.close();
    this.#channel = undefined;
  }

  #leaving(ms: number): void {
    this.draining = true;
    this.#within('drain', ms + this.#deps.limits.overtime);
  }

  #serves({ revision, busy }: Pick<Applied, 'revision' | 'busy'>): void {
    this.revision = revision;
    this.busy = new Set(busy);
  }

  #expectRedial(): void {
    this.#within('return', this.#deps.limits.lost);
    this.#set('redial', this.#deps.limits.redial, () => {
      this.#expected = false;
      this.#deps.missing();
    });
  }

  #within(what: string, ms: number): void {
    this.#set(what, ms, () => this.#deps.overdue(what));
  }

  #set(what: string, ms: number, fn: () => void): void {
    this.#met(what);
    this.#deadlines.set(what, deadline(this.#deps.clock, ms, fn));
  }

  #met(...whats: string[]): void {
    for (const what of whats) {
      this.#deadlines.get(what)?.();
      this.#deadlines.delete(what);
    }
  }
}

/** The bridge routes nothing. */
function onlyBridges({ revision, bridges }: Snapshot): Snapshot {
  return { revision, bridges, hosts: {}, services: {}, upstreams: {}, control: null };
}
