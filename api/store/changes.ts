/** Feeds: they tell listeners what was committed, in order, and know nothing of who listens. */

/** What the store needs of a log: pino's logger is one. */
export interface StoreLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Feed<T> {
  publish(items: readonly T[]): void;
  /** @returns unsubscribe */
  subscribe(listener: (item: T) => void): () => void;
}

/** @param failed hears of a listener that threw: the commit stands and the other listeners must hear of it */
export function feedOf<T>(failed: (error: unknown, item: T) => void): Feed<T> {
  const listeners = new Set<{ listener: (item: T) => void }>();
  return {
    publish(items) {
      for (const item of items) {
        for (const { listener } of listeners) {
          try {
            listener(item);
          } catch (error) {
            failed(error, item);
          }
        }
      }
    },
    subscribe(listener) {
      const entry = { listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  };
}
