/** How this node asks for certificates: by the settings, or not at all. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Store } from '../../api/store/store.ts';
import type { Vault } from '../../api/store/vault.ts';
import { openAcme } from '../../controllers/acme/client.ts';
import { disabledAcme } from '../../controllers/acme/disabled.ts';
import type { Clock } from '../../specs/clock.ts';
import type { Issuing } from './certificates.ts';
import type { NodeSettings } from './settings.ts';

export interface IssuingParts {
  store: Store;
  vault: Pick<Vault, 'open'>;
  clock: Clock;
}

/** Puts closing on the stack. Rejects when the file of trusted certificates is of no use. */
export async function openIssuing(
  { acmeEmail: email, acmeDirectories: directories, acmeCaFile: caFile }: NodeSettings,
  stack: AsyncDisposableStack,
  parts: IssuingParts,
): Promise<Issuing> {
  if (email === null) return { acme: disabledAcme, directories: null };
  const ca = caFile === null ? null : await readTrusted(caFile);
  const acme = openAcme({ ...parts, email, ca });
  stack.defer(() => acme.close());
  return { acme, directories };
}

/** A file that cannot be read, or holds something else, would only show as a refused connection much later. */
async function readTrusted(path: string): Promise<string> {
  try {
    const pem = await readFile(path, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    const what =
      why.startsWith('E') && !why.startsWith('ERR') ? `cannot be read (${why})` : 'holds no certificate';
    throw new Error(`SERVICE_ACME_CA_FILE: ${path} ${what}: name a PEM file`, { cause });
  }
}
