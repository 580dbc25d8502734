/**
 * Removes what the engine has of this node and no row speaks of: a call that was given up, or that a control plane had made
 * just before it was killed, may take effect after the row is gone. There is only one pass, over everything, now and then.
 *
 * Rows are written before their effects and go after them. So the engine is asked first: what it has then and no row speaks
 * of afterwards is nobody's. (Containers are found by their events: replica/reconcile.ts.)
 */
import type { Store } from '../../api/store/store.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import { imageTag } from '../engine/names.ts';
import type { Log } from '../runtime/log.ts';
import type { Reconcile } from '../runtime/reconciler.ts';

export interface LeftoversDeps {
  store: Pick<Store, 'list'>;
  engine: Pick<Engine, 'listNetworks' | 'removeNetwork' | 'listImages' | 'removeImage'>;
  nodeId: string;
  log: Log;
}

export function leftoversReconciler(deps: LeftoversDeps): Reconcile {
  const { store, engine, nodeId } = deps;
  return async () => {
    const networks = await engine.listNetworks();
    const images = await engine.listImages({ 'svc.node': nodeId });
    const [projects, deployments] = await Promise.all([store.list('Project'), store.list('Deployment')]);
    const names = new Set(projects.map(({ status }) => status.network_name));
    for (const { id, name, labels } of networks) {
      if (labels['svc.node'] !== nodeId || names.has(name)) continue;
      await remove(`network ${name}`, () => engine.removeNetwork(id), deps);
    }
    const tags = new Set(deployments.map(imageTag));
    for (const tag of images.flatMap((image) => image.tags)) {
      if (tags.has(tag)) continue;
      await remove(`image ${tag}`, () => engine.removeImage(tag), deps);
    }
    return undefined;
  };
}

/** What is still in use goes another time. */
async function remove(what: string, work: () => Promise<void>, { log }: LeftoversDeps): Promise<void> {
  try {
    await work();
    log.info({ what }, 'removed what nothing refers to any more');
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'conflict') throw error;
    log.debug({ err: error, what }, 'nothing refers to it any more, but it is in use');
  }
}
