/**
 * Writes what is pushed in order and at once, together where it comes faster than it can be written. It holds what waits
 * for the write that is under way, and nothing else.
 */

export interface Batcher<T> {
  push(item: T): void;
  /** Resolves once everything pushed before was written, or could not be. Never rejects. */
  settled(): Promise<void>;
  /** As {@link settled}, but rejects with the last failure since the last flush. */
  flush(): Promise<void>;
}

/**
 * @param write takes one batch; never called again before it has settled. What it fails to write is lost
 * @param onError hears of every failure, so that none goes unnoticed when nobody flushes
 */
export function createBatcher<T>(
  write: (batch: T[]) => Promise<void>,
  onError: (error: unknown) => void,
): Batcher<T> {
  let waiting: T[] | undefined;
  let written: Promise<void> = Promise.resolve();
  let failure: { error: unknown } | undefined;

  const writeBatch = async (batch: T[]): Promise<void> => {
    waiting = undefined;
    try {
      await write(batch);
    } catch (error) {
      failure = { error };
      onError(error);
    }
  };

  return {
    push(item) {
      if (waiting) {
        waiting.push(item);
        return;
      }
      const batch = [item];
      waiting = batch;
      written = written.then(() => writeBatch(batch));
    },
    settled: () => written,
    async flush() {
      await written;
      if (failure === undefined) return;
      const { error } = failure;
      failure = undefined;
      throw error;
    },
  };
}
