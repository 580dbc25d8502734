/**
 * Starts of containers, some of which the engine carries out long after whoever asked has given up. It does what it is asked of
 * one container in the order in which it was asked, as Docker does.
 */
import { EngineError } from '../../controllers/engine/engine.ts';
import type { FakeEngine } from '../support/fake-engine.ts';
import type { Invariants } from './invariants.ts';
import type { WorldClock } from './world-clock.ts';

/** Milliseconds from the question until it is given up, and until it takes effect. */
const times = { givenUp: 60_000, effect: 75_000 } as const;

export interface LateStartsDeps {
  engine: FakeEngine;
  clock: WorldClock;
  invariants: Invariants;
}

export class LateStarts {
  readonly #deps: LateStartsDeps;
  #expected = 0;
  /** By container. */
  readonly #pending = new Map<string, () => void>();

  constructor(deps: LateStartsDeps) {
    this.#deps = deps;
  }

  /** The next start will be late. */
  expect(): void {
    this.#expected += 1;
  }

  async start(container: string): Promise<void> {
    if (this.#expected === 0) {
      this.before(container);
      await this.#start(container);
      return;
    }
    this.#expected -= 1;
    const { clock } = this.#deps;
    // Nobody is there any more who could be told of a failure.
    const late = (): void => void this.#start(container).catch(() => undefined);
    this.#pending.set(container, late);
    clock.after(times.effect, () => {
      if (this.#pending.get(container) === late) this.before(container);
    });
    await clock.pause(times.givenUp);
    throw new EngineError('unavailable', 'The engine did not start the container within 60 s');
  }

  /** Something else is about to be done to this container: what was asked before comes first. */
  before(container: string): void {
    const late = this.#pending.get(container);
    this.#pending.delete(container);
    late?.();
  }

  /** The engine ends, and with it what it was asked. */
  forget(): void {
    this.#pending.clear();
  }

  #start(container: string): Promise<void> {
    this.#deps.invariants.starting(container);
    return this.#deps.engine.startReplica(container);
  }
}
