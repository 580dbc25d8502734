/** The change feed: tells listeners what was committed, in order. It knows nothing of who listens. */
import type { Change } from './store.ts';

/** What the store needs of a log: pino's logger is one. */
export interface StoreLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ChangeFeed {
  publish(changes: readonly Change[]): void;
  /** @returns unsubscribe */
  onChange(listener: (change: Change) => void): () => void;
}

export function changeFeed(log: StoreLog): ChangeFeed {
  const listeners = new Set<{ listener: (change: Change) => void }>();
  return {
    publish(changes) {
      for (const change of changes) {
        for (const { listener } of listeners) {
          try {
            listener(change);
          } catch (err) {
            // The commit stands and the other listeners must hear of it.
            log.error({ err, kind: change.kind, id: change.id }, 'a listener of the change feed failed');
          }
        }
      }
    },
    onChange(listener) {
      const entry = { listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  };
}
