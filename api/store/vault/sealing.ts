/** Sealed rows: written, removed and opened within a session. What masks know follows each commit, never before it. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Random } from '../../../specs/clock.ts';
import type { Session, WriteSession } from '../connection.ts';
import type { QueryBuilder, SealedRow } from '../schema.ts';
import { openBox, sealBox, valueBytes, type Binding } from '../seal.ts';
import { SealedValueError, type SealedKind, type SealedRef, type SealWriter } from '../vault.ts';
import type { Keyring } from './keyring.ts';
import type { KnownValues } from './known-values.ts';

export interface Sealing {
  /** Opens a value. Throws SealedValueError. */
  open(session: Session, ref: SealedRef): Promise<string>;
  /**
   * The writer of one transaction.
   * @param at RFC 3339
   * @param effects collects what must be done after the commit
   */
  within(session: WriteSession, at: string, effects: (() => void)[]): SealWriter;
}

export interface SealingDeps {
  db: QueryBuilder;
  keyring: Keyring;
  known: KnownValues;
  random: Random;
}

interface SealedLength {
  name: string;
  version: number;
  length: number;
}

export function sealingOf({ db, keyring, known, random }: SealingDeps): Sealing {
  return {
    async open(session, ref) {
      const [row] = (await session.all(selectOne(db, ref).compile())) as SealedRow[];
      if (!row) throw new SealedValueError('missing', `${describe(ref)} is not there. Set it again.`);
      return openRow(keyring, row);
    },
    within(session, at, effects) {
      return {
        async seal({ value, after = 0, ...identity }) {
          if (value === '') throw new Error('An empty text is no secret.');
          const newest = await newestOf(session, db, identity);
          if (newest && holds(keyring, newest, value)) return newest.version;
          const version = Math.max(newest?.version ?? 0, after) + 1;
          const binding = { ...identity, version, key_version: keyring.version() };
          const box = sealBox(currentKey(keyring), binding, value, random);
          await session.run(
            db
              .insertInto('sealed')
              .values({ ...binding, box, created_at: at })
              .compile(),
          );
          effects.push(() => known.set(binding, binding.project, value));
          return version;
        },
        async sealedVersions(owner, kind) {
          const query = db
            .selectFrom('sealed')
            .select((eb) => ['name', 'version', eb.fn<number>('length', ['box']).as('length')])
            .where('kind', '=', kind)
            .where('owner', '=', owner);
          const rows = (await session.all(query.compile())) as SealedLength[];
          return rows.map(({ name, version, length }) => ({ name, version, bytes: valueBytes(length) }));
        },
        async dropSealed(owner, only) {
          let query = db.deleteFrom('sealed').where('owner', '=', owner);
          if (only) query = query.where('kind', '=', only.kind);
          if (only?.name !== undefined) query = query.where('name', '=', only.name);
          if (only?.version !== undefined) query = query.where('version', '=', only.version);
          const removed = query.returning(['kind', 'owner', 'name', 'version', 'project']).compile();
          for (const row of (await session.all(removed)) as SealedRow[]) {
            effects.push(() => known.drop(refOf(row), row.project));
          }
        },
      };
    },
  };
}

/** Opens the box of a row. Throws SealedValueError. */
export function openRow(keyring: Keyring, row: SealedRow): string {
  const sentence = `${describe(refOf(row))} cannot be opened.`;
  const key = keyring.keyOf(row.key_version);
  if (!key) {
    throw new SealedValueError(
      'unreadable',
      `${sentence} It was sealed under another node key: put that node.key back, or set the value again.`,
    );
  }
  try {
    return openBox(key, bindingOf(row), row.box);
  } catch (cause) {
    const advice =
      'Its row in the database was damaged or changed: restore a backup, or set the value again.';
    throw new SealedValueError('unreadable', `${sentence} ${advice}`, { cause });
  }
}

/** As openRow; undefined where that throws. */
export function openIfPossible(keyring: Keyring, row: SealedRow): string | undefined {
  try {
    return openRow(keyring, row);
  } catch (error) {
    if (error instanceof SealedValueError) return undefined;
    throw error;
  }
}

export function bindingOf({ kind, owner, name, version, project, key_version }: SealedRow): Binding {
  return { kind, owner, name, version, project, key_version };
}

export function refOf({ kind, owner, name, version }: SealedRow): SealedRef {
  return { kind: kind as SealedKind, owner, name, version };
}

function selectOne(db: QueryBuilder, { version, ...identity }: SealedRef) {
  return versionsOf(db, identity).selectAll().where('version', '=', version);
}

function versionsOf(db: QueryBuilder, { kind, owner, name }: Omit<SealedRef, 'version'>) {
  return db.selectFrom('sealed').where('kind', '=', kind).where('owner', '=', owner).where('name', '=', name);
}

async function newestOf(
  session: Session,
  db: QueryBuilder,
  identity: Omit<SealedRef, 'version'>,
): Promise<SealedRow | undefined> {
  const query = versionsOf(db, identity).selectAll().orderBy('version', 'desc').limit(1).compile();
  return ((await session.all(query)) as SealedRow[])[0];
}

/** Whether the row holds this value. One that cannot be opened does not. In constant time, whatever they have in common. */
function holds(keyring: Keyring, row: SealedRow, value: string): boolean {
  const held = openIfPossible(keyring, row);
  return held !== undefined && timingSafeEqual(digest(held), digest(value));
}

function digest(value: string): Buffer {
  return hash('sha256', value, 'buffer');
}

function currentKey(keyring: Keyring): Buffer {
  const key = keyring.keyOf(keyring.version());
  if (!key) throw new Error('The keyring lacks its own key.');
  return key;
}

/** What a person calls it; never the value. */
function describe({ kind, owner, name, version }: SealedRef): string {
  switch (kind) {
    case 'env':
      return `Version ${version} of the secret ${name}`;
    case 'registry-password':
      return `The password of the registry ${owner}`;
    case 'deploy-key':
      return `The deploy key ${owner}`;
    case 'acme-account-key':
      return `The ACME account key ${owner}`;
    case 'certificate-key':
      return `The private key of the certificate ${owner}`;
    case 'answer':
      return 'The first answer to this Idempotency-Key';
  }
}
