/** Values of secrets as people set them: what workloads must find in their environment, exactly, or not start. */
import { updateSecrets } from '../../api/desired/update-secrets.ts';
import type { OpenStore } from '../../api/store/open.ts';
import { SealedValueError, type SealedRef } from '../../api/store/vault.ts';
import type { Row } from '../../specs/index.ts';

export class Secrets {
  readonly #store: OpenStore;
  readonly #values = new Map<string, string>();
  /** How many hold the key of the node back right now. */
  #lost = 0;

  constructor(store: OpenStore) {
    this.#store = store;
  }

  /** Through the API's own rules. */
  async set(serviceId: string, name: string, value: string): Promise<void> {
    const { spec } = await updateSecrets(this.#store, serviceId, { set: { [name]: value } });
    this.#values.set(keyOf(serviceId, name, spec.secrets[name] ?? 0), value);
  }

  /** As a control plane does that may have lost its key. */
  open(ref: SealedRef): Promise<string> {
    const gone = new SealedValueError('unreadable', `The secret ${ref.name} cannot be opened.`);
    return this.#lost > 0 ? Promise.reject(gone) : this.#store.vault.open(ref);
  }

  /** Nothing can be opened. @returns opens again */
  loseKey(): () => void {
    this.#lost += 1;
    return () => void (this.#lost -= 1);
  }

  /** What this deployment froze. A value that nobody set is undefined. */
  frozen({ spec }: Row<'Deployment'>): Record<string, string | undefined> {
    const names = Object.entries(spec.workload.secrets);
    return Object.fromEntries(
      names.map(([name, version]) => [name, this.#values.get(keyOf(spec.service_id, name, version))]),
    );
  }

  /** All that were ever set. */
  values(): string[] {
    return [...new Set(this.#values.values())];
  }
}

function keyOf(serviceId: string, name: string, version: number): string {
  return `${serviceId} ${name} ${version}`;
}
