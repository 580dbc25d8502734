/**
 * The one place that puts a deadline around calls of the engine: dockerode never settles when a reply breaks off in the
 * middle, whatever its own timeout or abort signal. A call that is over its deadline is abandoned; its late result is
 * ignored, and the next pass finds out by itself what became of it.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../../specs/clock.ts';
import { EngineError } from './engine.ts';
import { toEngineError } from './errors.ts';

/** Milliseconds. */
export const deadlines = {
  /** Reads: list, inspect, version. */
  read: 30_000,
  /** Writes: create, start, remove. A start unpacks nothing, but a busy disk is slow. */
  write: 60_000,
  /** What takes how much, and pruning: an engine walks through all that it has. Somebody may wait for it over HTTP. */
  usage: 45_000,
  /** Between two events of a build. A step may be silent for long; how long it may take is the caller's signal. */
  buildIdle: 3_600_000,
  /** Until a registry has said what it has. Engines wait for one that is silent as long as it likes. */
  registryAnswer: 30_000,
  /**
   * Between two events of a pull while bytes are to come. An engine reports every percent of a layer, but at least every
   * 512 KiB (moby, pkg/progress/progressreader.go), of three layers at a time: whatever moves at 26 kB/s, or one layer at
   * 9 kB/s, is never silent for so long.
   */
  pullIdle: 60_000,
  /** The same while layers of other pulls have all the places that the engine has for downloads. */
  queueIdle: 3_600_000,
  /** The same while the engine unpacks what it has: a busy disk is slow, and the registry has nothing to do with it. */
  unpackIdle: 300_000,
} as const;

/** Makes the error of a deadline. */
type Late = (doing: string, ms: number) => EngineError;

/**
 * Runs one call of the engine.
 * @param doing what is tried, as it reads after "The engine could not"
 * @param ms how long it may take
 * @param work gets a signal that aborts at the deadline, to free what it holds
 * @param late says whose fault it is, where that is not the engine's
 * @returns what `work` gives; rejects with an EngineError, `unavailable` when the deadline has passed
 */
export function withDeadline<T>(
  clock: Clock,
  doing: string,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  late: Late = overdue,
): Promise<T> {
  const controller = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      reject(late(doing, ms));
      controller.abort();
    });
    work(controller.signal).then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(toEngineError(error, doing));
      },
    );
  });
}

/**
 * Chunks of a stream that must not be silent for longer than `ms`, which is asked for anew after each chunk. Destroys the stream when the reader leaves.
 * Throws an EngineError when it breaks off or is silent for too long.
 */
export async function* withIdleDeadline(
  clock: Clock,
  doing: string,
  ms: number | (() => number),
  stream: Readable,
  late: Late = overdue,
): AsyncGenerator<Buffer, undefined> {
  const arm = (): (() => void) => {
    const limit = typeof ms === 'number' ? ms : ms();
    return clock.after(limit, () => stream.destroy(late(doing, limit)));
  };
  let cancel = arm();
  try {
    for await (const chunk of stream) {
      cancel();
      yield chunk as Buffer;
      cancel = arm();
    }
  } catch (error) {
    throw toEngineError(error, doing);
  } finally {
    cancel();
    stream.destroy();
  }
  return undefined;
}

/** The engine's fault. */
export function overdue(doing: string, ms: number): EngineError {
  return new EngineError(
    'unavailable',
    `The container engine did not ${doing} within ${ms / 1000} s: check that it is not stuck`,
  );
}
