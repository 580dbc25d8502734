/**
 * Which node key is the current one, and which sealed values it opens. The database has a fingerprint of every key that
 * it was ever sealed under; the keys themselves are files of the data directory.
 */
import type { StoreLog } from '../changes.ts';
import type { Connection, WriteSession } from '../connection.ts';
import type { NodeKeyRow, QueryBuilder } from '../schema.ts';
import { fingerprintOf, sealingKey } from '../seal.ts';

export interface Keyring {
  nodeKey(): Buffer;
  /** Of the current key, 1 for the first of a database. */
  version(): number;
  /** What opens boxes of a key version; undefined when that was another node key. */
  keyOf(version: number): Buffer | undefined;
  /** Notes a node key as the next version, as a part of a transaction. */
  succeed(session: WriteSession, nodeKey: Buffer, at: string): Promise<Succession>;
}

export interface Succession {
  version: number;
  key: Buffer;
  /** To be called after the commit: from then on this is the current key. */
  adopt(): void;
}

export interface KeyringOptions {
  connection: Connection;
  db: QueryBuilder;
  /** Keys that may be the current one: the newest that the database knows wins, and the first when it knows none. */
  nodeKeys: readonly Buffer[];
  /** RFC 3339. */
  at: string;
  log: StoreLog;
}

const strangeKey =
  'the node key is not the one that secrets were sealed under last: those cannot be opened. ' +
  'Put the right node.key back and start again, or set them anew';

/**
 * Finds the current key, and notes it when the database does not know it. A node whose key is lost starts all the same,
 * because what runs must go on; what was sealed under the lost key opens again once that key is back.
 */
export async function openKeyring({ connection, db, nodeKeys, at, log }: KeyringOptions): Promise<Keyring> {
  const { chosen, known } = await connection.transaction(async (session) => {
    const query = db.selectFrom('node_key').selectAll().orderBy('version', 'desc').compile();
    const known = (await session.all(query)) as NodeKeyRow[];
    const chosen = choose(nodeKeys, known[0]);
    if (chosen.isNew) await note(session, db, chosen, at);
    return { chosen, known };
  });
  if (chosen.isNew && known.length > 0) {
    log.error({ key_version: chosen.version }, strangeKey);
  }
  return keyringOf(db, chosen, known);
}

interface NodeKey {
  nodeKey: Buffer;
  version: number;
}

function choose(nodeKeys: readonly Buffer[], newest: NodeKeyRow | undefined): NodeKey & { isNew: boolean } {
  const current = nodeKeys.find((nodeKey) => fingerprintOf(nodeKey) === newest?.fingerprint);
  if (current && newest) return { nodeKey: current, version: newest.version, isNew: false };
  const [first] = nodeKeys;
  if (!first) throw new Error('A store takes at least one node key.');
  return { nodeKey: first, version: (newest?.version ?? 0) + 1, isNew: true };
}

function note(
  session: WriteSession,
  db: QueryBuilder,
  { nodeKey, version }: NodeKey,
  at: string,
): Promise<number> {
  const row = { version, fingerprint: fingerprintOf(nodeKey), created_at: at };
  return session.run(db.insertInto('node_key').values(row).compile());
}

function keyringOf(db: QueryBuilder, chosen: NodeKey, known: readonly NodeKeyRow[]): Keyring {
  let current = chosen;
  const keys = new Map([[chosen.version, sealingKey(chosen.nodeKey, chosen.version)]]);
  // A key that was lost and came back has several versions.
  for (const { version, fingerprint } of known) {
    if (fingerprint === fingerprintOf(chosen.nodeKey)) keys.set(version, sealingKey(chosen.nodeKey, version));
  }
  return {
    nodeKey: () => current.nodeKey,
    version: () => current.version,
    keyOf: (version) => keys.get(version),
    async succeed(session, nodeKey, at) {
      const next = { nodeKey, version: current.version + 1 };
      const key = sealingKey(nodeKey, next.version);
      await note(session, db, next, at);
      const adopt = (): void => {
        current = next;
        // Older keys stay: a box that was read just before may be one of theirs.
        keys.set(next.version, key);
      };
      return { version: next.version, key, adopt };
    },
  };
}
