/** The effects of a project's plan. */
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';
import type { Engine } from '../engine/engine.ts';

export type Step =
  { do: 'claimSubnet'; subnet: string } | { do: 'ensureNetwork'; name: string; subnet: string };

export interface StepDeps {
  store: Store;
  engine: Pick<Engine, 'ensureNetwork'>;
  nodeId: string;
}

/** @returns what is now known of the network */
export async function apply(
  step: Step,
  row: Row<'Project'>,
  deps: StepDeps,
): Promise<{ subnet: string; network: string | null }> {
  switch (step.do) {
    case 'claimSubnet':
      // Nothing exists yet: the status write at the end of the pass is the claim.
      return { subnet: step.subnet, network: null };
    case 'ensureNetwork': {
      const labels = { 'svc.node': deps.nodeId, 'svc.project': row.name };
      const network = await deps.engine.ensureNetwork({ name: step.name, subnet: step.subnet, labels });
      return { subnet: step.subnet, network };
    }
  }
}
