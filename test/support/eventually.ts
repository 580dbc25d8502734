/** Waits for something that real I/O brings about. */
import { setTimeout } from 'node:timers/promises';

/** Resolves once the condition holds; rejects after ten seconds. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`This never came true: ${condition.toString()}`);
    await setTimeout(5);
  }
}
