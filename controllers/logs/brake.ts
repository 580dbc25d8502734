/**
 * Slows a workload down that floods. An engine takes what is printed as fast as it comes, and spends a processor and more on
 * it that no limit of the workload covers (dockerd 20.10 with json-file, local or non-blocking alike). But it waits for
 * whoever is attached to the output: so a flood is attached to and taken no faster than the node can bear, and the
 * workload waits at its next write. Nobody attaches to one that does not flood.
 */
import type { Clock } from '../../specs/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { Log } from '../runtime/log.ts';
import type { FloodGate } from './flood.ts';
import { pause } from './pause.ts';

export interface Brake {
  /** There is a reason to slow it down: for a while from now on. */
  hold(): void;
  /** Lets it print as it likes, for good. */
  release(): Promise<void>;
}

export interface BrakeDeps {
  engine: Pick<Engine, 'replicaOutput'>;
  clock: Clock;
  log: Pick<Log, 'debug'>;
}

/**
 * Milliseconds that it is slowed down without a new reason. Letting go in between would be dear: at that moment the
 * engine takes all that waits, half a million short lines.
 */
const patience = 5_000;

/** @param gate says how much may pass */
export function createBrake(container: string, gate: Pick<FloodGate, 'pass'>, deps: BrakeDeps): Brake {
  const released = new AbortController();
  let hasReason = false;
  let holding: Promise<void> | undefined;
  const stillHasReason = (): boolean => {
    const had = hasReason;
    hasReason = false;
    return had;
  };
  return {
    hold() {
      hasReason = true;
      if (released.signal.aborted) return;
      holding ??= slowDown(container, gate, { released: released.signal, stillHasReason }, deps).finally(
        () => (holding = undefined),
      );
    },
    async release() {
      released.abort();
      await holding;
    },
  };
}

/** While there is a reason. Never rejects: where an engine does not let it be done, it spends its own time. */
async function slowDown(
  container: string,
  gate: Pick<FloodGate, 'pass'>,
  { released, stillHasReason }: { released: AbortSignal; stillHasReason: () => boolean },
  { engine, clock, log }: BrakeDeps,
): Promise<void> {
  const calm = new AbortController();
  let cancel = (): void => undefined;
  const look = (): void => {
    if (stillHasReason()) cancel = clock.after(patience, look);
    else calm.abort();
  };
  look();
  const over = AbortSignal.any([released, calm.signal]);
  try {
    for await (const bytes of engine.replicaOutput(container, over)) {
      const ms = gate.pass(bytes);
      if (ms > 0) await pause(ms, over, clock);
    }
  } catch (err) {
    log.debug({ err, container }, 'a workload that floods could not be slowed down');
  }
  // One that ended early is not asked for again at each line.
  await pause(patience, over, clock);
  cancel();
}
