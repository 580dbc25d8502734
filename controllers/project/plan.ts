/**
 * Decides what a project needs next. Pure. A range of its own, then a network in it; and in the end, once its services are
 * gone, neither: the range is free again when the row goes, and not before the network has gone. The range is kept for as
 * long as it can be had: only one that somebody else took while the network was gone is given up for another.
 */
import type { Row } from '../../specs/index.ts';
import type { ProjectReason, Reason } from '../../specs/reasons.ts';
import type { Observed } from './observe.ts';
import type { Step } from './steps.ts';
import { freeSubnet, overlaps } from './subnet.ts';

export interface Decision {
  steps: Step[];
  /** Why a project that is being deleted is still there. */
  waiting?: { reason: Reason<typeof ProjectReason>; message: string };
}

/** @param name of the network, if it has none yet */
export function plan(row: Row<'Project'>, observed: Observed, name: string): Decision {
  if (row.deleted_at !== null) return remove(row, observed);
  const { networks, taken } = observed;
  const { subnet, network, network_name: known } = row.status;
  if (subnet === null || known === null)
    return { steps: [{ do: 'claim', subnet: subnet ?? freeSubnet(taken, name), name: known ?? name }] };
  const there = networks.find((one) => one.name === known);
  // Every time: nobody says when the host was started anew.
  if (there && there.id === network) return { steps: [{ do: 'hasten', subnet }] };
  if (!there && networks.some(({ subnets }) => subnets.some((other) => overlaps(other, subnet))))
    return { steps: [{ do: 'claim', subnet: freeSubnet(taken, name), name: known }] };
  return { steps: [{ do: 'ensureNetwork', name: known, subnet }] };
}

function remove({ status }: Row<'Project'>, { services, jobs, networks }: Observed): Decision {
  const owned = [...services, ...jobs];
  const living = owned.filter(({ deleted_at: deleted }) => deleted === null);
  if (owned.length > 0) {
    const nouns = [services.length > 0 ? ['services'] : [], jobs.length > 0 ? ['jobs'] : []].flat();
    const names = owned.map(({ name }) => name).sort();
    return {
      steps: living.length > 0 ? [{ do: 'deleteOwned', rows: living }] : [],
      waiting: {
        reason: 'Deleting',
        message: `Waiting for its ${nouns.join(' and ')} to be removed: ${names.join(', ')}.`,
      },
    };
  }
  const networkSteps = networks
    .filter(({ name }) => name === status.network_name)
    .map(({ id }): Step => ({ do: 'removeNetwork', id }));
  return { steps: [...networkSteps, { do: 'purge' }] };
}
