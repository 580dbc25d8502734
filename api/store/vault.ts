/**
 * Secrets at rest: values sealed with AES-256-GCM under a key derived from the node key. A box opens only under the key of
 * its version and as the row that it was sealed for.
 */

/** What a sealed value is. `answer` is the body of an idempotent answer, which may hold a token. */
export type SealedKind =
  'env' | 'registry-password' | 'deploy-key' | 'acme-account-key' | 'certificate-key' | 'answer';

/** Which value. All of it is bound to the box as associated data. */
export interface SealedRef {
  kind: SealedKind;
  /** Id of the row that it belongs to: a service, a registry, a deploy key, … */
  owner: string;
  /** Of an environment variable; '' where an owner has one value only. */
  name: string;
  version: number;
}

export interface NewSealed extends Omit<SealedRef, 'version'> {
  /** Id of the project in whose logs and answers the value is masked; '' for none. */
  project: string;
  /** Not empty. */
  value: string;
  /** The next version is greater than this too, so that the number of one that was dropped is not given again. */
  after?: number;
}

export interface SealedVersion {
  name: string;
  version: number;
  bytes: number;
}

/** Of a transaction of the store. */
export interface SealWriter {
  /**
   * Seals a value as the next version of its name, unless the newest version is this value already (compared in constant
   * time). @returns the version that has the value, 1 for the first
   */
  seal(value: NewSealed): Promise<number>;
  /** Every version that there is of what belongs to an owner, of one kind, and how many bytes its value has. */
  sealedVersions(owner: string, kind: SealedKind): Promise<SealedVersion[]>;
  /** Removes what belongs to an owner, or of that one kind, name and version only. Does nothing if there is none. */
  dropSealed(owner: string, only?: { kind: SealedKind; name?: string; version?: number }): Promise<void>;
}

/** Why a value cannot be had. `missing`: there is no such version; `unreadable`: another key, or the box is damaged. */
export class SealedValueError extends Error {
  readonly reason: 'missing' | 'unreadable';

  /** @param message a sentence without the value, fit for a condition */
  constructor(reason: 'missing' | 'unreadable', message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SealedValueError';
    this.reason = reason;
  }
}

export interface Vault {
  /** The current value. Throws SealedValueError; never answers an empty text in its place. */
  open(ref: SealedRef): Promise<string>;
  /** The newest version of each name of an owner, by name. */
  list(owner: string, kind: SealedKind): Promise<{ name: string; version: number; created_at: string }[]>;
  /**
   * All values that are known to be secret in a project, of all versions, as they are now: what masks are made of. Not
   * the idempotent answers. The same array (by identity) until something changes.
   */
  secretsOf(projectId: string): readonly string[];
  /** Version of the key that values are sealed under, 1 for the first. */
  keyVersion(): number;
  /**
   * Seals everything anew under another node key, in one transaction, and goes on with that key. What the old key cannot
   * open stays as it is.
   * @param nodeKey 32 bytes
   */
  rotate(nodeKey: Buffer): Promise<{ key_version: number; resealed: number; unreadable: number }>;
}
