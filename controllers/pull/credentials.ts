/** As whom a project pulls from a registry. The password is opened for the one call of the engine that needs it. */
import type { Reader } from '../../api/store/store.ts';
import { SealedValueError, type Vault } from '../../api/store/vault.ts';
import type { RegistryAuth } from '../engine/registry-request.ts';
import { PullError } from './failure.ts';

/** @returns undefined where the project has none for this registry: it is asked as nobody */
export type Credentials = (projectId: string, registry: string) => Promise<RegistryAuth | undefined>;

export interface CredentialDeps {
  store: Pick<Reader, 'list'>;
  vault: Pick<Vault, 'open'>;
}

/** Other names that people know Docker Hub by. */
const dockerHub = ['docker.io', 'index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com'];

/** The function throws a PullError when the password cannot be opened. */
export function credentialsOf({ store, vault }: CredentialDeps): Credentials {
  return async (projectId, registry) => {
    const rows = await store.list('Registry', { owner: projectId });
    const row = rows.find(({ spec }) => canonical(spec.server) === canonical(registry));
    if (!row || row.deleted_at !== null) return undefined;
    const { server, username, password_version: version } = row.spec;
    try {
      const password = await vault.open({ kind: 'registry-password', owner: row.id, name: '', version });
      return { server, username, password };
    } catch (error) {
      if (!(error instanceof SealedValueError)) throw error;
      const again = `Give it again: svc registries remove ${server}, then svc registries add ${server} --username ${username}`;
      throw new PullError('RegistryDenied', `${error.message} ${again}`, error);
    }
  };
}

function canonical(server: string): string {
  return dockerHub.includes(server) ? 'docker.io' : server;
}
