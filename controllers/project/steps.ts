/** The effects of a project's plan. Each is idempotent: a pass that is cut off anywhere is mended by the next. */
import type { Row } from '../../specs/index.ts';
import type { ProjectStatus } from '../../specs/project.ts';
import type { Store, Writer } from '../../api/store/store.ts';
import type { Engine } from '../engine/engine.ts';
import type { HostNetwork } from './host-network.ts';

export type Step =
  | { do: 'claim'; subnet: string; name: string }
  | { do: 'ensureNetwork'; name: string; subnet: string }
  | { do: 'hasten'; subnet: string }
  | { do: 'deleteOwned'; rows: readonly (Row<'Service'> | Row<'Job'>)[] }
  | { do: 'removeNetwork'; id: string }
  | { do: 'purge' };

export interface StepDeps {
  store: Store;
  engine: Pick<Engine, 'ensureNetwork' | 'removeNetwork'>;
  host: Pick<HostNetwork, 'hasten'>;
  nodeId: string;
}

/** What is known of a project's network. */
export type Known = Pick<ProjectStatus, 'subnet' | 'network' | 'network_name'>;

/** @returns what is now known of the network */
export async function apply(step: Step, row: Row<'Project'>, known: Known, deps: StepDeps): Promise<Known> {
  switch (step.do) {
    case 'claim':
      // Nothing exists yet, or no more: the status write at the end of the pass is the claim.
      return { subnet: step.subnet, network: null, network_name: step.name };
    case 'ensureNetwork': {
      const labels = { 'svc.node': deps.nodeId, 'svc.project': row.name };
      const network = await deps.engine.ensureNetwork({ name: step.name, subnet: step.subnet, labels });
      await deps.host.hasten(step.subnet);
      return { ...known, network };
    }
    case 'hasten':
      await deps.host.hasten(step.subnet);
      return known;
    case 'deleteOwned':
      await deps.store.write(async (writer) => {
        for (const { kind, id } of step.rows) await writer.markDeleted(kind, id);
      });
      return known;
    case 'removeNetwork':
      await deps.engine.removeNetwork(step.id);
      return known;
    case 'purge':
      await deps.store.write((writer) => purge(row.id, writer));
      return known;
  }
}

/** The row and all that belongs to it and has no controller of its own, unless a service or a job came in between. */
async function purge(id: string, writer: Writer): Promise<void> {
  for (const kind of ['Service', 'Job'] as const)
    if ((await writer.list(kind, { owner: id, limit: 1 })).length > 0) return;
  for (const kind of ['Registry', 'DeployKey', 'KnownHost'] as const) {
    for (const row of await writer.list(kind, { owner: id })) {
      await writer.dropSealed(row.id);
      await writer.purge(kind, row.id);
    }
  }
  await writer.dropMembers(id);
  await writer.purge('Project', id);
}
