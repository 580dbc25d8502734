/** The key that a project's Git sources are cloned with. It is opened for the time of one clone. */
import type { Reader } from '../../api/store/store.ts';
import { SealedValueError, type Vault } from '../../api/store/vault.ts';
import { GitError } from './failure.ts';

export interface DeployKey {
  /** The private half. */
  key: string;
  fingerprint: string;
}

export interface DeployKeyDeps {
  store: Pick<Reader, 'list'>;
  vault: Pick<Vault, 'open'>;
}

/** @returns what finds the key of a project: null when it has none. Throws GitError when it cannot be opened */
export function deployKeysIn({ store, vault }: DeployKeyDeps) {
  return async (projectId: string): Promise<DeployKey | null> => {
    const [row] = await store.list('DeployKey', { owner: projectId, limit: 1 });
    if (!row) return null;
    const { fingerprint, private_key_version: version } = row.spec;
    try {
      return { key: await vault.open({ kind: 'deploy-key', owner: row.id, name: '', version }), fingerprint };
    } catch (error) {
      if (!(error instanceof SealedValueError)) throw error;
      const next =
        'Set it again (svc projects deploy-key set), or make another one (delete it, then generate).';
      throw new GitError('CloneFailed', `The project's deploy key cannot be used: ${error.message} ${next}`, {
        cause: error,
      });
    }
  };
}
