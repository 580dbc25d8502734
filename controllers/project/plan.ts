/** Decides what a project needs next: a range of its own, kept for ever, then a network in it. Pure. */
import type { Row } from '../../specs/index.ts';
import type { Observed } from './observe.ts';
import type { Step } from './steps.ts';
import { freeSubnet } from './subnet.ts';

export interface Decision {
  steps: Step[];
}

export function plan(row: Row<'Project'>, { networks, taken }: Observed, name: string): Decision {
  const { subnet } = row.status;
  if (subnet === null) return { steps: [{ do: 'claimSubnet', subnet: freeSubnet(taken) }] };
  const there = networks.find((network) => network.name === name);
  if (there && there.id === row.status.network) return { steps: [] };
  return { steps: [{ do: 'ensureNetwork', name, subnet }] };
}
