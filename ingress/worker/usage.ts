/** What is under way per replica: counted, so that the control plane knows when one that left the routes may stop. */
import { bucketOf, type Traffic } from '../traffic.ts';
import type { Counted, Tally } from './tally.ts';

/** A request and its answer, or what became of them. */
export interface UnderWay {
  /** It goes on until one side ends it (a WebSocket, a stream of events): waiting for its end would be for ever. */
  readonly lasting: boolean;
  /** Ends it at the next place where the client loses nothing; only of what is lasting. */
  leave(): void;
  /** Ends it now. @returns whether the client lost something by that */
  cut(): boolean;
}

export interface Usage {
  /** A request goes to the replica. */
  begin(replica: string, underWay: UnderWay): Use;
  /** Replicas with something under way that are not routed. */
  busy(): string[];
  /** Of all replicas; those of one replica are in the order in which they began. */
  underWay(): Use[];
}

/** @param idle called when the last one of a replica that is not routed ends, its figures being final */
export function createUsage(
  tally: Tally,
  routed: (replica: string) => boolean,
  idle: (replica: string) => void,
): Usage {
  const open = new Map<string, Set<Use>>();
  const ended = (use: Use): void => {
    const uses = open.get(use.replica);
    uses?.delete(use);
    if (uses?.size !== 0 || routed(use.replica)) return;
    open.delete(use.replica);
    idle(use.replica);
  };
  return {
    begin(replica, underWay) {
      const use = new Use(tally.replica(replica), underWay, ended);
      const uses = open.get(replica);
      if (uses === undefined) open.set(replica, new Set([use]));
      else uses.add(use);
      return use;
    },
    busy: () => [...open].flatMap(([replica, uses]) => (uses.size > 0 && !routed(replica) ? [replica] : [])),
    underWay: () => [...open.values()].flatMap((uses) => [...uses]),
  };
}

/** One request of one replica, from its sending to the end of all that followed. Counts what becomes of it. */
export class Use {
  readonly #counted: Counted<Traffic>;
  readonly #ended: (use: Use) => void;
  #underWay: UnderWay;
  /** When the replica got it. Milliseconds of `performance.now`; 0: it has not. */
  #asked = 0;
  #settled = false;
  #left = false;
  #tunnel = false;
  #over = false;

  constructor(counted: Counted<Traffic>, underWay: UnderWay, ended: (use: Use) => void) {
    this.#counted = counted;
    this.#underWay = underWay;
    this.#ended = ended;
    counted.figures.open += 1;
  }

  get replica(): string {
    return this.#counted.id;
  }

  get lasting(): boolean {
    return this.#underWay.lasting;
  }

  /** There is a connection: from here on the replica may have seen it. */
  asked(): void {
    if (this.#over) return;
    this.#asked = performance.now();
    this.#count('requests');
  }

  /** The head of an answer is there. */
  answered(status: number): void {
    const ms = performance.now() - this.#asked;
    const { figures } = this.#counted;
    const bucket = bucketOf(ms);
    figures.latency[bucket] = (figures.latency[bucket] ?? 0) + 1;
    figures.latency_ms += ms;
    if (ms > figures.longest_ms) figures.longest_ms = ms;
    if (status >= 500 && status <= 599) figures.errors += 1;
    this.#settle('answered');
  }

  /** It became a WebSocket. */
  tunnels(tunnel: UnderWay): void {
    this.#underWay = tunnel;
    this.#tunnel = true;
    this.#counted.figures.tunnels += 1;
  }

  /** No answer, and another is asked. */
  retried(): void {
    this.#settle('retried');
  }

  /** No answer, or its end is missing. */
  failed(): void {
    this.#settle('failed');
  }

  /** See `UnderWay.leave`. Once; of what is over or not lasting: nothing. */
  leave(): void {
    if (this.#over || this.#left || !this.lasting) return;
    this.#left = true;
    this.#underWay.leave();
  }

  /** At a drain's deadline. */
  cut(): void {
    if (this.#over) return;
    this.#over = true;
    const lost = this.#underWay.cut();
    if (lost) this.#settle('aborted');
    this.#finish(this.#left && !lost);
  }

  /** Nothing of it is under way any longer. More calls do nothing. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#finish(this.#left);
  }

  #finish(closed: boolean): void {
    const { figures } = this.#counted;
    figures.open -= 1;
    if (this.#tunnel) figures.tunnels -= 1;
    if (closed) figures.closed += 1;
    if (this.#asked > 0 && !this.#settled) figures.gone += 1;
    this.#counted.touch();
    this.#ended(this);
  }

  #settle(as: 'answered' | 'retried' | 'failed' | 'aborted'): void {
    this.#settled = true;
    this.#count(as);
  }

  #count(what: 'requests' | 'answered' | 'retried' | 'failed' | 'aborted'): void {
    this.#counted.figures[what] += 1;
    this.#counted.touch();
  }
}
