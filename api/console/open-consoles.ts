/** The consoles that are open: no more than a node can bear, each ended when what it stands on goes away, all before the node does. */
import { ProblemError } from '../../specs/problem.ts';
import { closeCodes } from '../../specs/console.ts';
import type { Store } from '../store/store.ts';
import { ended, type ConsoleEnd } from './session.ts';

/** A console is a process, a connection and some buffers, at the node and at its engine. */
const most = { ofService: 20, ofNode: 100 } as const;

export interface OpenConsoles {
  /** Takes a place until `leave`. Throws `rate_limited` when there is none. */
  enter(serviceId: string): { leave: () => void };
  /** Resolves when nobody is in any more. */
  empty(): Promise<void>;
}

export function createOpenConsoles(): OpenConsoles {
  const inside = new Set<{ serviceId: string }>();
  let wake: (() => void) | undefined;
  return {
    enter(serviceId) {
      const ofService = [...inside].filter((other) => other.serviceId === serviceId).length;
      if (ofService >= most.ofService) throw full(`The service has ${most.ofService} consoles open`);
      if (inside.size >= most.ofNode) throw full(`The node has ${most.ofNode} consoles open`);
      const place = { serviceId };
      inside.add(place);
      return {
        leave() {
          inside.delete(place);
          if (inside.size === 0) wake?.();
        },
      };
    },
    async empty() {
      while (inside.size > 0) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

function full(what: string): ProblemError {
  return new ProblemError('rate_limited', `${what}, and takes no more. Close one.`, { retryAfter: 30 });
}

/**
 * Aborts, with a ConsoleEnd, when the service is being deleted or one of the signals aborts.
 * @returns the signal, and what ends the watching
 */
export function watchForEnd(
  store: Store,
  serviceId: string,
  { stopping, access }: { stopping: AbortSignal; access: AbortSignal },
): { signal: AbortSignal; stop: () => void } {
  const ending = new AbortController();
  const end = (how: ConsoleEnd) => ending.abort(how);
  const stops: (() => void)[] = [];
  const on = (signal: AbortSignal, how: () => ConsoleEnd) => {
    const listener = () => end(how());
    signal.addEventListener('abort', listener, { once: true });
    stops.push(() => signal.removeEventListener('abort', listener));
    if (signal.aborted) listener();
  };
  on(stopping, () => ended(closeCodes.leaving, 'The node is stopping.'));
  on(access, () => ended(closeCodes.notAllowed, wordsOf(access.reason)));
  stops.push(
    store.onChange(({ kind, id, by }) => {
      if (kind === 'Service' && id === serviceId && (by === 'deleted' || by === 'purged'))
        end(ended(closeCodes.gone, 'The service is being deleted.'));
    }),
  );
  return {
    signal: ending.signal,
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** Why the right is gone: a ProblemError, unless it could not be found out. */
function wordsOf(reason: unknown): string {
  return reason instanceof ProblemError
    ? reason.message
    : 'Whether this is still allowed cannot be found out.';
}
