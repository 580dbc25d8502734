/** Opens the vault of a database: finds the key, and reads what is known to be secret. */
import type { Clock, Random } from '../../../specs/clock.ts';
import { timestamp } from '../../../specs/meta.ts';
import type { StoreLog } from '../changes.ts';
import type { Connection, WriteSession } from '../connection.ts';
import type { QueryBuilder, SealedRow } from '../schema.ts';
import { sealBox } from '../seal.ts';
import type { Vault } from '../vault.ts';
import { openKeyring, type Keyring, type Succession } from './keyring.ts';
import { knownValues, maskedKinds, type KnownValues } from './known-values.ts';
import { bindingOf, openIfPossible, refOf, sealingOf, type Sealing } from './sealing.ts';

export interface VaultOptions {
  connection: Connection;
  db: QueryBuilder;
  nodeKeys: readonly Buffer[];
  clock: Clock;
  random: Random;
  log: StoreLog;
}

export interface OpenVault {
  vault: Vault;
  sealing: Sealing;
  /** The current one. */
  nodeKey: () => Buffer;
}

export async function openVault(options: VaultOptions): Promise<OpenVault> {
  const { connection, db, nodeKeys, clock, random, log } = options;
  const keyring = await openKeyring({ connection, db, nodeKeys, at: timestamp(clock.now()), log });
  const known = knownValues();
  await readKnown(options, keyring, known);
  const sealing = sealingOf({ db, keyring, known, random });
  const vault: Vault = {
    open: (ref) => sealing.open(connection, ref),
    async list(owner, kind) {
      const query = db.selectFrom('sealed').select(['name', 'version', 'created_at']);
      const versions = query.where('owner', '=', owner).where('kind', '=', kind);
      const rows = await connection.all(versions.orderBy('name').orderBy('version').compile());
      const newest = (rows as Pick<SealedRow, 'name' | 'version' | 'created_at'>[]).map(
        (row) => [row.name, row] as const,
      );
      return [...new Map(newest).values()];
    },
    secretsOf: (projectId) => known.of(projectId),
    keyVersion: () => keyring.version(),
    rotate(nodeKey) {
      let next: Succession | undefined;
      return connection.transaction(
        async (session) => {
          next = await keyring.succeed(session, nodeKey, timestamp(clock.now()));
          return { key_version: next.version, ...(await reseal(session, options, keyring, next)) };
        },
        { committed: () => next?.adopt() },
      );
    },
  };
  return { vault, sealing, nodeKey: () => keyring.nodeKey() };
}

async function readKnown(
  { connection, db, log }: VaultOptions,
  keyring: Keyring,
  known: KnownValues,
): Promise<void> {
  let unreadable = 0;
  const masked = db.selectFrom('sealed').selectAll().where('kind', 'in', maskedKinds).compile();
  for (const row of (await connection.all(masked)) as SealedRow[]) {
    const value = openIfPossible(keyring, row);
    if (value === undefined) unreadable += 1;
    else known.set(refOf(row), row.project, value);
  }
  if (unreadable === 0) return;
  log.error(
    { unreadable, key_version: keyring.version() },
    'some secrets cannot be opened: what needs them is not released, and they are not masked in logs',
  );
}

/** Seals every row anew that can be opened. */
async function reseal(
  session: WriteSession,
  { db, random }: VaultOptions,
  keyring: Keyring,
  next: Succession,
): Promise<{ resealed: number; unreadable: number }> {
  const counts = { resealed: 0, unreadable: 0 };
  for (const row of (await session.all(db.selectFrom('sealed').selectAll().compile())) as SealedRow[]) {
    const value = openIfPossible(keyring, row);
    if (value === undefined) {
      counts.unreadable += 1;
      continue;
    }
    const binding = { ...bindingOf(row), key_version: next.version };
    const box = sealBox(next.key, binding, value, random);
    const update = db.updateTable('sealed').set({ key_version: next.version, box });
    const { kind, owner, name, version } = row;
    const one = update.where('kind', '=', kind).where('owner', '=', owner).where('name', '=', name);
    await session.run(one.where('version', '=', version).compile());
    counts.resealed += 1;
  }
  return counts;
}
