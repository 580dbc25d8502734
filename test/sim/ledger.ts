/** What the API acknowledged: every desired half as it was answered, to be found again unchanged at any later time. */
import type { Store } from '../../api/store/store.ts';
import type { DeploymentSpec } from '../../specs/deployment.ts';
import type { Kind, Row } from '../../specs/index.ts';
import type { ServiceSpec } from '../../specs/service.ts';
import { canonicalJson } from '../../specs/revision.ts';

export class Ledger {
  readonly #store: Store;
  /** What people deleted may go, and does. */
  readonly #deleted: ReadonlySet<string>;
  readonly #known = new Map<string, { kind: Kind; serviceId: string; spec: string }>();

  constructor(store: Store, deletedServices: ReadonlySet<string>) {
    this.#store = store;
    this.#deleted = deletedServices;
  }

  /** A write of this service or its deployments was acknowledged. */
  async note(serviceId: string): Promise<void> {
    const service = await this.#store.get('Service', serviceId);
    const rows = [
      ...(service ? [service] : []),
      ...(await this.#store.list('Deployment', { owner: serviceId })),
    ];
    for (const row of rows)
      this.#known.set(row.id, { kind: row.kind, serviceId, spec: canonicalJson(asked(row)) });
  }

  /** @returns what of it is not as it was */
  async lost(): Promise<string[]> {
    const lost: string[] = [];
    for (const [id, { kind, serviceId, spec }] of this.#known) {
      if (this.#deleted.has(serviceId)) continue;
      const row = await this.#store.get(kind, id);
      if (row && canonicalJson(asked(row)) === spec) continue;
      lost.push(`(9) what was asked of ${id} is not what its row says`);
    }
    return lost;
  }
}

/** Without what the service's controller writes as well: when it releases a changed configuration, or resizes what runs. */
function asked({ kind, spec }: Row<Kind>): unknown {
  if (kind === 'Deployment') {
    const { workload, ...rest } = spec as DeploymentSpec;
    return { ...rest, workload: { ...workload, resources: null } };
  }
  if (kind !== 'Service') return spec;
  const { rollout, ...rest } = spec as ServiceSpec;
  return { ...rest, rollout: { running: rollout.running, epoch: rollout.epoch } };
}
