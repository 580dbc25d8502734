/** Which replica comes next: round robin per service, which goes on over swaps. */
import type { Route } from './routes.ts';

export interface Balance {
  /** @returns undefined when each of them was tried */
  pick(route: Route, tried: ReadonlySet<string>): string | undefined;
  /** Forgets services that are gone. */
  retain(known: (service: string) => boolean): void;
}

export function createBalance(): Balance {
  const turns = new Map<string, number>();
  return {
    pick({ id, replicas }, tried) {
      const turn = turns.get(id) ?? 0;
      turns.set(id, (turn + 1) % Number.MAX_SAFE_INTEGER);
      for (let step = 0; step < replicas.length; step += 1) {
        const replica = replicas[(turn + step) % replicas.length];
        if (replica !== undefined && !tried.has(replica)) return replica;
      }
      return undefined;
    },
    retain(known) {
      for (const id of turns.keys()) if (!known(id)) turns.delete(id);
    },
  };
}
