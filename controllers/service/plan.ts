/**
 * Decides what a service needs next: that a changed configuration is released, which deployments stay ready for rollback,
 * and, when it is being deleted, that everything of it goes before it does. Pure.
 */
import type { Row } from '../../specs/index.ts';
import { dispensable } from '../../specs/kept-deployments.ts';
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
  if (configuration.state === 'resized') return { steps: [{ do: 'resize' }], configuration };
  return { steps: released(row, observed), configuration };
}

/** Deployments see to their replicas, images and logs themselves. */
function remove({ deployments, uploads, domains, jobs, replicas }: Observed): Step[] {
  const living = [...deployments, ...uploads, ...domains, ...jobs].filter(
    ({ deleted_at: deleted }) => deleted === null,
  );
  if (living.length > 0) return [{ do: 'deleteOwned', rows: living }];
  const left = deployments.length + uploads.length + domains.length + jobs.length + replicas.length;
  return left > 0 ? [] : [{ do: 'removeLogs' }, { do: 'purge' }];
}

/** Images of what runs or may be rolled back to are kept (specs/kept-deployments.ts). The others lose theirs; their rows stay, as history. */
function released(row: Row<'Service'>, { deployments, needed }: Observed): Step[] {
  return dispensable(row, deployments, needed)
    .filter(({ status }) => status.image !== null)
    .map((deployment): Step => ({ do: 'releaseImage', deployment }));
}
