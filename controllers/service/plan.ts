/** Decides which deployments of a service stay ready for rollback. Pure. */
import type { Row } from '../../specs/index.ts';
import type { Observed } from './observe.ts';
import type { Step } from './steps.ts';

export interface Decision {
  steps: Step[];
}

/**
 * Images of what runs or may be rolled back to are kept: the promoted deployment, the target, and the newest
 * `release.keep` that once served. The others lose theirs; their rows stay, as history.
 */
export function plan(row: Row<'Service'>, { deployments }: Observed): Decision {
  const pinned = new Set([row.status.promoted, row.status.previous, row.spec.rollout.target]);
  const settled = deployments.filter(({ id, status }) => {
    const over = status.phase === 'Inactive' || status.phase === 'Stopped' || status.phase === 'Failed';
    return over && status.image !== null && !pinned.has(id);
  });
  const served = settled
    .filter(({ status }) => status.phase !== 'Failed' && status.promoted_at !== null)
    .sort((a, b) => (b.status.promoted_at ?? '').localeCompare(a.status.promoted_at ?? ''));
  const kept = new Set(served.slice(0, row.spec.release.keep).map(({ id }) => id));
  const steps = settled
    .filter(({ id }) => !kept.has(id))
    .map((deployment): Step => ({ do: 'releaseImage', deployment }));
  return { steps };
}
