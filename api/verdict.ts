/** Waits for what a controller makes of a write, no longer than a client would. */
import type { Row } from '../specs/index.ts';
import type { ApiContext } from './context.ts';

/** Milliseconds. A verdict takes its controller up to about twenty seconds, when nothing answers. */
const patience = 30_000;

/**
 * The domain once its controller has given the verdict on an attempt; as it is then, when that takes too long, the signal
 * aborts, or the API closes; undefined when it is gone.
 */
export async function verdictOn(
  { store, clock, stopping }: Pick<ApiContext, 'store' | 'clock' | 'stopping'>,
  { id, spec: { attempt } }: Row<'Domain'>,
  left: AbortSignal,
): Promise<Row<'Domain'> | undefined> {
  const ends = AbortSignal.any([left, stopping]);
  const patient = { over: false };
  const isOver = () => patient.over || ends.aborted;
  let ring = Promise.withResolvers<void>();
  const unsubscribe = store.onChange((change) => {
    if (change.kind === 'Domain' && change.id === id) ring.resolve();
  });
  const onEnd = () => ring.resolve();
  const cancel = clock.after(patience, () => {
    patient.over = true;
    ring.resolve();
  });
  ends.addEventListener('abort', onEnd, { once: true });
  try {
    for (;;) {
      // Before the read: a change that comes during it must ring again.
      ring = Promise.withResolvers<void>();
      const domain = await store.get('Domain', id);
      if (!domain || domain.status.attempt >= attempt || isOver()) return domain;
      await ring.promise;
    }
  } finally {
    cancel();
    unsubscribe();
    ends.removeEventListener('abort', onEnd);
  }
}
