/** The effects of a service's plan. */
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';
import type { Engine } from '../engine/engine.ts';
import { imageTag } from '../engine/names.ts';

export interface Step {
  do: 'releaseImage';
  deployment: Row<'Deployment'>;
}

export interface StepDeps {
  store: Store;
  engine: Pick<Engine, 'removeImage'>;
}

/**
 * The row lets go of the image first, unless somebody asked for the deployment meanwhile: from then on it cannot be rolled
 * back to, so that nobody waits for an image that is going. Where the engine does not give it up, the row has it again.
 */
export async function apply(
  { deployment }: Step,
  service: Row<'Service'>,
  { store, engine }: StepDeps,
): Promise<void> {
  if (!(await letGo(deployment, service, store))) return;
  const { id, generation, status } = deployment;
  try {
    await engine.removeImage(imageTag(deployment));
  } catch (error) {
    await store.patchStatus('Deployment', id, generation, { image: status.image });
    throw error;
  }
}

function letGo(
  { id, generation }: Row<'Deployment'>,
  service: Row<'Service'>,
  store: Store,
): Promise<boolean> {
  return store.write(
    async (writer) => {
      const [deployment, now] = [await writer.get('Deployment', id), await writer.get('Service', service.id)];
      if (deployment?.generation !== generation || now?.generation !== service.generation) return false;
      await writer.patchStatus('Deployment', id, generation, { image: null });
      return true;
    },
    { lazy: true },
  );
}
