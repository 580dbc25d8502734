/** The effects of a volume's plan. Each is idempotent: a pass that is cut off anywhere is mended by the next. */
import type { Store } from '../../api/store/store.ts';
import type { Engine } from '../engine/engine.ts';

export type Step =
  /** With all that is in it. */
  { do: 'remove'; name: string } | { do: 'purge' };

export interface StepDeps {
  store: Pick<Store, 'write'>;
  engine: Pick<Engine, 'removeVolume'>;
}

export async function apply(step: Step, id: string, { store, engine }: StepDeps): Promise<void> {
  switch (step.do) {
    case 'remove':
      return engine.removeVolume(step.name);
    case 'purge':
      return store.write((writer) => writer.purge('Volume', id));
  }
}
