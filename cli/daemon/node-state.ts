/** What the API tells about the node itself. */
import type { NodeState } from '../../api/ports.ts';
import type { Room } from '../../controllers/gc/room.ts';
import type { Ingress } from '../../ingress/index.ts';
import type { EngineWatch } from './engine-watch.ts';

export interface NodeStateDeps {
  ingress: Ingress;
  engineWatch: Pick<EngineWatch, 'state'>;
  room: Pick<Room, 'disks'>;
  /** Resolves while the store answers. */
  pingStore: () => Promise<void>;
}

export function nodeState({ ingress, engineWatch, room, pingStore }: NodeStateDeps): NodeState {
  return {
    engine: () => engineWatch.state(),
    disks: () => room.disks(),
    ingress: () => ({ workers: ingress.workers(), revision: ingress.applied()?.revision ?? 0 }),
    async unready() {
      const reasons: string[] = [];
      await pingStore().catch((error: unknown) =>
        reasons.push(`The store does not answer: ${String(error)}`),
      );
      const { reachable, message } = engineWatch.state();
      if (!reachable) reasons.push(`The engine does not answer: ${message ?? 'no reason given'}`);
      if (ingress.applied() === undefined)
        reasons.push('No route set is in place at every ingress worker yet.');
      return reasons;
    },
  };
}
