/** Events that are long in coming: whoever waits for them is told so. */
import type { Clock } from '../../../specs/clock.ts';

/**
 * Passes events on.
 * @param every milliseconds of silence after which `say` is called, and called again
 * @param say gets how many milliseconds nothing has come for
 */
export async function* tellingSilence<T>(
  clock: Clock,
  every: number,
  events: AsyncIterable<T>,
  say: (ms: number) => void,
): AsyncGenerator<T, undefined> {
  let cancel = (): void => undefined;
  const arm = (silent: number): void => {
    cancel = clock.after(every, () => {
      say(silent + every);
      arm(silent + every);
    });
  };
  arm(0);
  try {
    for await (const event of events) {
      cancel();
      yield event;
      arm(0);
    }
  } finally {
    cancel();
  }
  return undefined;
}
