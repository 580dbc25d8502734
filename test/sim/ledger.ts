/** What the API acknowledged: every desired half as it was answered, to be found again unchanged at any later time. */
import type { Store } from '../../api/store/store.ts';
import type { Kind } from '../../specs/index.ts';
import { canonicalJson } from '../../specs/revision.ts';

export class Ledger {
  readonly #store: Store;
  readonly #known = new Map<string, { kind: Kind; spec: string }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** A write of this service or its deployments was acknowledged. */
  async note(serviceId: string): Promise<void> {
    const service = await this.#store.get('Service', serviceId);
    const rows = [
      ...(service ? [service] : []),
      ...(await this.#store.list('Deployment', { owner: serviceId })),
    ];
    for (const { kind, id, spec } of rows) this.#known.set(id, { kind, spec: canonicalJson(spec) });
  }

  /** @returns what of it is not as it was */
  async lost(): Promise<string[]> {
    const lost: string[] = [];
    for (const [id, { kind, spec }] of this.#known) {
      const row = await this.#store.get(kind, id);
      if (row && canonicalJson(row.spec) === spec) continue;
      lost.push(`(9) what was asked of ${id} is not what its row says`);
    }
    return lost;
  }
}
