/** Secrets to put into a store. They belong to aService() of aProject(). */
import type { Store } from '../../api/store/store.ts';
import type { NewSealed, SealedRef } from '../../api/store/vault.ts';
import { anId } from './store.ts';

/** The value `hunter2` of the variable TOKEN, unless said otherwise. */
export function aSecret(said: Partial<NewSealed> = {}): NewSealed {
  const identity = { kind: 'env', owner: anId('service'), name: 'TOKEN' } as const;
  return { ...identity, project: anId('project'), value: 'hunter2', ...said };
}

export function refTo(version: number, said: Partial<SealedRef> = {}): SealedRef {
  const { kind, owner, name } = aSecret();
  return { kind, owner, name, version, ...said };
}

/** Seals them in one transaction. @returns their versions */
export function seal(store: Store, ...secrets: readonly NewSealed[]): Promise<number[]> {
  return store.write(async (writer) => {
    const versions: number[] = [];
    for (const secret of secrets) versions.push(await writer.seal(secret));
    return versions;
  });
}
