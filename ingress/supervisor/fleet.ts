/** All members of a run directory: takes survivors over, starts what is missing, drains what is too much, kills the hung. */
import type { Clock } from '../../specs/clock.ts';
import type { Channel } from '../channel.ts';
import type { IngressOptions } from '../ingress.ts';
import type { ProcessOptions } from '../process-options.ts';
import type { DrainLimits, FromMember, Hello, Role, ToMember } from '../protocol.ts';
import { ingressUser } from '../run-dir.ts';
import type { Guest } from './control-server.ts';
import { createHoldOff, type HoldOff } from './hold-off.ts';
import { lastWords, launch } from './launch.ts';
import type { Ledger } from './ledger.ts';
import type { Limits } from './limits.ts';
import { Member } from './member.ts';
import { planFleet, slotKey, wantedSlots, type Slot } from './plan.ts';
import type { Program } from './program.ts';
import type { Revisions } from './revisions.ts';
import { identify, type Survivor } from './survivors.ts';

export interface FleetDeps {
  clock: Clock;
  limits: Limits;
  program: Program;
  /** Program and settings: a member that was started with another is replaced. */
  fingerprint: string;
  revisions: Revisions;
  ledger: Ledger;
  /** Keys of session tickets, base64; undefined before it starts. */
  ticketKeys(): string | undefined;
  /** Somebody came, went, or acknowledged. */
  changed(): void;
  /** A process that this control plane started ended by itself. */
  ended(code: number | null, words: string): void;
}

export class Fleet {
  readonly #options: IngressOptions;
  readonly #deps: FleetDeps;
  readonly #wanted: readonly Slot[];
  readonly #members = new Map<number, Member>();
  readonly #holdOff: HoldOff;
  readonly #waiters = new Map<Member, () => void>();
  #closing = false;

  constructor(options: IngressOptions, deps: FleetDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#wanted = wantedSlots(options.workers);
    this.#holdOff = createHoldOff(deps.clock, deps.limits);
  }

  /** Living members. */
  members(role?: Role): Member[] {
    return [...this.#members.values()].filter((member) => role === undefined || member.options.role === role);
  }

  /** Whether each wanted slot has a member that listens, be it of an older program. */
  complete(): boolean {
    const there = new Set(
      this.members().flatMap((m) => (m.connected && !m.draining ? [slotKey(m.options)] : [])),
    );
    return this.#wanted.every((slot) => there.has(slotKey(slot)));
  }

  take(survivors: readonly Survivor[]): void {
    for (const { pid, options } of survivors) this.#add(pid, options);
  }

  /** One pass: makes the processes what they should be. Idempotent; called whenever something changed. */
  reconcile(): void {
    if (this.#closing) return;
    const standing = this.members().map((member) => member.standing());
    const plan = planFleet(this.#wanted, standing, this.#holdOff.held);
    const { replaced, replacedIdle } = this.#deps.limits;
    for (const pid of plan.drain)
      this.#members.get(pid)?.drain({ idle_ms: replacedIdle, limit_ms: replaced });
    for (const slot of plan.spawn) this.#spawn(slot);
  }

  /** A member introduced itself. @returns undefined when it is not one of this run directory */
  welcome(hello: Hello, channel: Channel<ToMember>): Guest | undefined {
    const options = identify(hello.pid, this.#options.runDir);
    if (options?.role !== hello.role || options.slot !== hello.slot) return undefined;
    const known = this.#members.get(hello.pid);
    const member = known ?? this.#add(hello.pid, options);
    member.connect(channel, hello);
    this.#deps.revisions.saw(hello.revision);
    this.#log(member, member.child === undefined ? 'ingress process taken over' : 'ingress process ready');
    member.seal(this.#deps.ticketKeys());
    this.#offer(member);
    this.#changed();
    return {
      message: (message) => this.#receive(member, message),
      closed: () => {
        if (!member.disconnect(channel)) return;
        // Our own children tell us with 'exit'.
        if (member.child === undefined) this.#missing(member);
        this.#deps.changed();
      },
    };
  }

  /** Gives the newest snapshot to everybody who has not got it. */
  offerAll(): void {
    for (const member of this.#members.values()) this.#offer(member);
  }

  /** Gives the keys of session tickets to everybody. */
  sealAll(): void {
    for (const member of this.#members.values()) member.seal(this.#deps.ticketKeys());
  }

  /** Drains every member of the role and starts no more of any. Resolves once they ended. */
  async close(role: Role, limits: DrainLimits): Promise<void> {
    this.#closing = true;
    this.#holdOff.stop();
    const leaving = this.members(role);
    const ends = leaving.map((member) => this.#ended(member));
    for (const member of leaving) member.drain(limits);
    await Promise.all(ends);
  }

  /** Kills what this control plane started, and lets go of the rest: it serves on. */
  abandon(): void {
    this.#closing = true;
    this.#holdOff.stop();
    for (const member of this.#members.values()) {
      if (member.child !== undefined) member.signal('SIGKILL');
      member.dispose();
    }
    this.#members.clear();
  }

  #ended(member: Member): Promise<void> {
    return new Promise((resolve) => this.#waiters.set(member, resolve));
  }

  #spawn({ role, slot }: Slot): void {
    const { stateDir, runDir } = this.#options;
    const { fingerprint: program } = this.#deps;
    const user = ingressUser() ?? null;
    const { listen, listenTls = [] } = role === 'worker' ? this.#options : { listen: [] };
    const options = { role, slot, program, stateDir, runDir, listen, listenTls, user };
    const child = launch(this.#deps.program, options, (error) => {
      this.#options.log.warn({ role, slot, error: error.message }, 'ingress process not started');
      this.#failed({ role, slot });
    });
    if (child?.pid === undefined) return;
    const member = this.#add(child.pid, options, child);
    child.once('exit', (code, signal) => {
      this.#gone(member, signal ?? `exit code ${code}`);
      this.#deps.ended(code, lastWords(options));
    });
  }

  #add(pid: number, options: ProcessOptions, child?: Member['child']): Member {
    const { clock, limits, fingerprint: wanted } = this.#deps;
    const member: Member = new Member(pid, options, child, {
      clock,
      limits,
      wanted,
      well: () => this.#holdOff.well(slotKey(options)),
      missing: () => this.#missing(member),
      overdue: (what) => this.#kill(member, what),
    });
    this.#members.set(pid, member);
    return member;
  }

  #receive(member: Member, message: FromMember): void {
    const { role, slot } = member.options;
    if (message.type === 'report') {
      this.#options.log[message.level]({ ...message.fields, role, slot }, message.message);
      return;
    }
    if (message.type === 'traffic') {
      this.#deps.ledger.told(member, message, this.#deps.clock.now());
      return;
    }
    if (message.type === 'idle') member.idle(message.replica);
    if (message.type === 'applied') {
      member.applied(message);
      this.#offer(member);
      this.#deps.revisions.prune(this.members());
    }
    this.#deps.changed();
  }

  #offer(member: Member): void {
    const latest = this.#deps.revisions.latest();
    if (latest !== undefined) member.offer(latest);
  }

  /** Its connection is gone for longer than a redial takes. */
  #missing(member: Member): void {
    if (identify(member.pid, this.#options.runDir) === undefined) this.#gone(member, 'not there any longer');
    else this.reconcile();
  }

  #kill(member: Member, what: string): void {
    const { role, slot } = member.options;
    // The number may belong to another process by now.
    if (identify(member.pid, this.#options.runDir) !== undefined) {
      this.#options.log.warn(
        { role, slot, pid: member.pid, what },
        'ingress process is overdue and is killed',
      );
      member.signal('SIGKILL');
    }
    if (member.child === undefined) this.#gone(member, 'killed');
  }

  #gone(member: Member, how: string): void {
    if (!this.#members.delete(member.pid)) return;
    member.dispose();
    this.#deps.ledger.gone(member);
    const { role, slot, pid } = { ...member.options, pid: member.pid };
    if (member.draining) this.#log(member, 'ingress process drained');
    else
      this.#options.log.warn(
        { role, slot, pid, how, output: lastWords(member.options) },
        'ingress process ended',
      );
    this.#waiters.get(member)?.();
    if (!member.draining && !this.#closing) this.#failed(member.options);
    this.#changed();
  }

  #failed(slot: Slot): void {
    this.#holdOff.failed(slotKey(slot), () => this.reconcile());
  }

  #changed(): void {
    this.reconcile();
    this.#deps.changed();
  }

  #log(member: Member, message: string): void {
    const { role, slot } = member.options;
    this.#options.log.info({ role, slot, pid: member.pid, revision: member.revision }, message);
  }
}
