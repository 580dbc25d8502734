/**
 * Opens the secrets of a workload, for the moment in which its container is made: afterwards they are nowhere but in its
 * environment at the engine. All of them or none: a workload never starts with an empty value in the place of one.
 */
import { SealedValueError, type Vault } from '../../api/store/vault.ts';
import type { Row } from '../../specs/index.ts';
import type { SecretVersions } from '../../specs/workload.ts';

/** The message is a sentence for a condition: which secrets, why, and what to do. Never a value. */
export class SecretUnavailableError extends Error {
  constructor(message: string, options: ErrorOptions) {
    super(message, options);
    this.name = 'SecretUnavailableError';
  }
}

/** Whose they are. */
export interface SecretOwner {
  service: Pick<Row<'Service'>, 'id' | 'name'>;
  project: Pick<Row<'Project'>, 'name'>;
}

/** @returns name → value. Throws SecretUnavailableError when there is one that cannot be had. */
export async function openSecrets(
  secrets: SecretVersions,
  { service, project }: SecretOwner,
  vault: Pick<Vault, 'open'>,
): Promise<Record<string, string>> {
  const opened: [name: string, value: string][] = [];
  const failures: { name: string; cause: SealedValueError }[] = [];
  for (const [name, version] of Object.entries(secrets)) {
    try {
      opened.push([name, await vault.open({ kind: 'env', owner: service.id, name, version })]);
    } catch (cause) {
      if (!(cause instanceof SealedValueError)) throw cause;
      failures.push({ name, cause });
    }
  }
  const [first] = failures;
  if (!first) return Object.fromEntries(opened);
  const names = failures.map(({ name }) => name);
  const all = names.length === 1 ? '' : `These secrets cannot be had: ${names.sort().join(', ')}. `;
  const command = `svc secrets set ${project.name}/${service.name} ${names.length === 1 ? first.name : 'NAME'}`;
  throw new SecretUnavailableError(`${all}${first.cause.message} The command is: ${command}`, {
    cause: first.cause,
  });
}
