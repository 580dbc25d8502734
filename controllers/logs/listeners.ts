/** Who wants to hear of what, by key. */

export interface Listeners {
  /** @returns unsubscribe */
  add(key: string, listener: () => void): () => void;
  call(key: string): void;
}

export function listeners(): Listeners {
  const all = new Map<string, Set<() => void>>();
  return {
    add(key, listener) {
      const set = all.get(key) ?? new Set();
      all.set(key, set);
      set.add(listener);
      return () => {
        set.delete(listener);
        if (set.size === 0 && all.get(key) === set) all.delete(key);
      };
    },
    call(key) {
      for (const listener of [...(all.get(key) ?? [])]) listener();
    },
  };
}
