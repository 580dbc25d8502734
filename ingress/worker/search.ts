/** The search for a replica that takes one request: whom it tried, in rounds over all of them, and for how long. */
import type { Balance } from './balance.ts';
import type { Route } from './routes.ts';

/**
 * Milliseconds between rounds over all replicas while none takes a connection: a bridge that is being started again is there
 * after the first few. Of a replica that died the control plane says so, and that it is waited for; on a busy machine its engine
 * takes seconds to tell.
 */
const rounds = [50, 100, 200, 400, 800, 800, 800, 800, 800];

/**
 * Milliseconds after which no other is tried. A replica that answers nothing at all costs a second each time
 * (bridge/pipe.ts), so that one that is only too busy is asked for about as long as TCP would ask it three times.
 */
const patience = 8_000;

export class Search {
  readonly #balance: Balance;
  readonly #tried = new Set<string>();
  #round = 0;
  /** Milliseconds of `performance.now`. */
  #since = performance.now();

  constructor(balance: Balance) {
    this.#balance = balance;
  }

  /** @returns undefined when each was tried in this round, or time is up */
  pick(route: Route): string | undefined {
    if (this.#isOver()) return undefined;
    const replica = this.#balance.pick(route, this.#tried);
    if (replica !== undefined) this.#tried.add(replica);
    return replica;
  }

  /** Begins the next round. @returns milliseconds until then; undefined when there is to be none */
  nextRound(): number | undefined {
    const delay = this.#isOver() ? undefined : rounds[this.#round];
    this.#round += 1;
    this.#tried.clear();
    return delay;
  }

  /** All may be tried once more, in the same round, and time begins anew. */
  again(): void {
    this.#tried.clear();
    this.#since = performance.now();
  }

  #isOver(): boolean {
    return performance.now() - this.#since > patience;
  }
}
