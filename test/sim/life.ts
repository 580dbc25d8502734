/**
 * The life of one control plane. Once it is over, nothing that it waits for ever comes back and nothing that it asks for
 * is done: what a killed process leaves behind. What it had asked for before may still happen.
 */
import type { Change, Store } from '../../api/store/store.ts';
import type { Clock } from '../../specs/clock.ts';

export class Life {
  readonly #end = new AbortController();

  get over(): boolean {
    return this.#end.signal.aborted;
  }

  /** Aborts at the end. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  end(): void {
    this.#end.abort(new Error('the control plane was killed'));
  }

  /** What `work` comes to, for as long as somebody lives who can hear of it. */
  hold<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.over) return;
      work().then(
        (value) => {
          if (!this.over) resolve(value);
        },
        (error: unknown) => {
          if (!this.over) reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }
}

/** A port whose calls end with a life. Answers that are no promises are given as they are. */
export function mortal<T extends object>(port: T, life: Life): T {
  return new Proxy(port, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        if (life.over) return new Promise(() => undefined);
        const answer: unknown = Reflect.apply(member, target, args);
        return answer instanceof Promise ? life.hold(() => answer) : answer;
      };
    },
  });
}

export function mortalClock(clock: Clock, life: Life): Clock {
  return {
    now: () => clock.now(),
    after: (ms, fn) =>
      clock.after(ms, () => {
        if (!life.over) fn();
      }),
  };
}

/** @param beforeWrite a moment in which the life may end, so that it can end between any two writes */
export function mortalStore(store: Store, life: Life, beforeWrite: () => Promise<void>): Store {
  const inLife = async <T>(write: () => Promise<T>): Promise<T> => {
    await beforeWrite();
    return life.over ? new Promise<T>(() => undefined) : write();
  };
  return {
    get: (kind, id) => life.hold(() => store.get(kind, id)),
    find: (kind, owner, name) => life.hold(() => store.find(kind, owner, name)),
    list: (kind, options) => life.hold(() => store.list(kind, options)),
    write: (work, options) => life.hold(() => inLife(() => store.write(work, options))),
    patchStatus: (kind, id, generation, patch, options) =>
      life.hold(() => inLife(() => store.patchStatus(kind, id, generation, patch, options))),
    onChange(listener: (change: Change) => void) {
      const stop = store.onChange(listener);
      life.signal.addEventListener('abort', stop, { once: true });
      return stop;
    },
  };
}
