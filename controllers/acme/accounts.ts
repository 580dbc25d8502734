/** The account at each authority: its key is sealed before anybody hears of it, and kept for ever. */
import type { Store } from '../../api/store/store.ts';
import type { SealedKind, Vault } from '../../api/store/vault.ts';
import { newKey } from './key.ts';

const kind: SealedKind = 'acme-account-key';

/** @returns PEM. The first one that was sealed, also where two ask at once */
export async function accountKey(
  directory: string,
  { store, vault }: { store: Store; vault: Pick<Vault, 'open'> },
): Promise<string> {
  const fresh = newKey();
  const version = await store.write(async (writer) => {
    const [known] = await writer.sealedVersions(directory, kind);
    return known?.version ?? writer.seal({ kind, owner: directory, name: '', project: '', value: fresh });
  });
  return vault.open({ kind, owner: directory, name: '', version });
}
