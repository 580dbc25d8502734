/** The effects of a collection. Each is idempotent, and says `in use` where something still holds on to it. */
import { rm } from 'node:fs/promises';
import type { Store } from '../../api/store/store.ts';
import type { DeploymentLogs } from '../logs/deployment-logs.ts';
import type { RunLogs } from '../logs/run-logs.ts';
import type { WorkloadLogs } from '../logs/workload-logs.ts';
import type { Engine } from '../engine/engine.ts';
import type { TagNotes } from '../engine/tags.ts';

export type Step =
  /** `deploymentId`: of the row that has no claim to it any more. */
  | { do: 'removeImage'; reference: string; deploymentId?: string }
  | { do: 'removeNetwork'; id: string }
  | { do: 'removeUpload'; id: string }
  | { do: 'removeClone'; path: string }
  | { do: 'removeDeploymentLog'; id: string }
  | { do: 'removeRunLog'; id: string }
  | { do: 'removeWorkloadLog'; serviceId: string; deploymentId: string }
  | { do: 'pruneBuildCache'; unusedForMs: number };

export interface StepDeps {
  store: Pick<Store, 'get'>;
  engine: Pick<Engine, 'removeImage' | 'removeNetwork' | 'pruneBuildCache'>;
  tagNotes: Pick<TagNotes, 'forget'>;
  uploads: { remove: (id: string) => Promise<void> };
  deploymentLogs: Pick<DeploymentLogs, 'remove'>;
  runLogs: Pick<RunLogs, 'remove'>;
  workloadLogs: Pick<WorkloadLogs, 'remove'>;
}

/** @returns bytes that were freed, where that is known better afterwards; false when it is needed again */
export async function apply(step: Step, deps: StepDeps): Promise<number | boolean> {
  switch (step.do) {
    case 'removeImage':
      if (step.deploymentId !== undefined && (await hasClaim(step.deploymentId, deps))) return false;
      await deps.engine.removeImage(step.reference);
      await deps.tagNotes.forget(step.reference);
      return true;
    case 'removeNetwork':
      await deps.engine.removeNetwork(step.id);
      return true;
    case 'removeUpload':
      await deps.uploads.remove(step.id);
      return true;
    case 'removeClone':
      await rm(step.path, { recursive: true, force: true });
      return true;
    case 'removeDeploymentLog':
      await deps.deploymentLogs.remove(step.id);
      return true;
    case 'removeRunLog':
      await deps.runLogs.remove(step.id);
      return true;
    case 'removeWorkloadLog':
      await deps.workloadLogs.remove(step.serviceId, step.deploymentId);
      return true;
    case 'pruneBuildCache':
      return deps.engine.pruneBuildCache(step.unusedForMs);
  }
}

/** Its service may have taken it back meanwhile, because the engine did not give it up. */
async function hasClaim(id: string, { store }: StepDeps): Promise<boolean> {
  const row = await store.get('Deployment', id);
  return row !== undefined && row.status.image !== null;
}
