/**
 * Decides what a service needs next: that a changed configuration is released, which deployments stay ready for rollback,
 * and, when it is being deleted, that everything of it goes before it does. Pure.
 */
import type { Row } from '../../specs/index.ts';
import { configurationOf, type Configuration } from './configuration.ts';
import type { Observed } from './observe.ts';
import type { Step } from './steps.ts';

export interface Decision {
  steps: Step[];
  configuration: Configuration;
}

export function plan(row: Row<'Service'>, observed: Observed): Decision {
  if (row.deleted_at !== null) return { steps: remove(observed), configuration: { state: 'released' } };
  const { deployments } = observed;
  const configuration = configurationOf(row, deployments);
  // The next pass sees what came of it, and to the rest.
  if (configuration.state === 'due') return { steps: [{ do: 'release' }], configuration };
  return { steps: released(row, deployments), configuration };
}

/** Deployments see to their replicas, images and logs themselves. */
function remove({ deployments, uploads, replicas }: Observed): Step[] {
  const living = [...deployments, ...uploads].filter(({ deleted_at: deleted }) => deleted === null);
  if (living.length > 0) return [{ do: 'deleteOwned', rows: living }];
  const left = deployments.length + uploads.length + replicas.length;
  return left > 0 ? [] : [{ do: 'removeLogs' }, { do: 'purge' }];
}

/**
 * Images of what runs or may be rolled back to are kept: the promoted deployment, the target, and the newest
 * `release.keep` that once served. The others lose theirs; their rows stay, as history.
 */
function released(row: Row<'Service'>, deployments: readonly Row<'Deployment'>[]): Step[] {
  const pinned = new Set([row.status.promoted, row.status.previous, row.spec.rollout.target]);
  const settled = deployments.filter(({ id, status }) => {
    const over = status.phase === 'Inactive' || status.phase === 'Stopped' || status.phase === 'Failed';
    return over && status.image !== null && !pinned.has(id);
  });
  const served = settled
    .filter(({ status }) => status.phase !== 'Failed' && status.promoted_at !== null)
    .sort((a, b) => (b.status.promoted_at ?? '').localeCompare(a.status.promoted_at ?? ''));
  const kept = new Set(served.slice(0, row.spec.release.keep).map(({ id }) => id));
  return settled
    .filter(({ id }) => !kept.has(id))
    .map((deployment): Step => ({ do: 'releaseImage', deployment }));
}
