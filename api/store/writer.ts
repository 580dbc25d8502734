/** Writes of rows inside one transaction. They are noted as changes, to be published once it has committed. */
import type { Kind, Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import { canonicalJson } from '../../specs/revision.ts';
import type { WriteSession } from './connection.ts';
import type { ResourceQueries } from './queries.ts';
import { readerOf } from './reader.ts';
import { asStored, encodeRow } from './rows.ts';
import { NotUniqueError } from './sqlite-failure.ts';
import type { Change, NewRow, Writer } from './store.ts';
import type { SealWriter } from './vault.ts';

export interface WriterDeps {
  session: WriteSession;
  queries: Record<Kind, ResourceQueries>;
  /** RFC 3339 time of this transaction. */
  at: string;
  /** Collects what was changed. */
  changes: Change[];
  /** Of the same transaction. */
  seals: SealWriter;
  /** As Writer.dropMembers. */
  dropMembers: (projectId: string) => Promise<void>;
}

export function writerOf(deps: WriterDeps): Writer {
  const { session, queries, at, seals, dropMembers } = deps;
  const reader = readerOf(session, queries);
  const { note, save } = recorderOf(deps);

  return {
    ...reader,
    ...seals,
    dropMembers,
    async create(kind, row) {
      const created = newRow(kind, row, at);
      await session.run(queries[kind].insert(encodeRow(created))).catch((error: unknown) => {
        throw error instanceof NotUniqueError ? nameTaken(kind, row.name, error) : error;
      });
      note(created, 'spec');
      return created;
    },
    async updateSpec(kind, id, change, ifVersion) {
      const before = await reader.get(kind, id);
      if (!before) throw new ProblemError('not_found', `There is no such ${noun(kind)}.`);
      if (ifVersion !== undefined && ifVersion !== before.version) {
        throw new ProblemError(
          'precondition_failed',
          `The ${noun(kind)} was changed meanwhile. Read it again.`,
        );
      }
      // Compared as text that was made before: `change` may write into what it is given.
      const text = canonicalJson(before.spec);
      const spec = asStored(change(before.spec));
      if (canonicalJson(spec) === text) return { ...before, spec };
      return save(before, { spec, generation: before.generation + 1 }, 'spec');
    },
    async markDeleted(kind, id) {
      const before = await reader.get(kind, id);
      if (!before || before.deleted_at !== null) return;
      await save(before, { deleted_at: at, generation: before.generation + 1 }, 'deleted');
    },
    async purge(kind, id) {
      const before = await reader.get(kind, id);
      if (!before) return;
      await session.run(queries[kind].remove(id));
      note(before, 'purged');
    },
    async patchStatus(kind, id, generation, patch) {
      const before = await reader.get(kind, id);
      if (!before || before.observed_generation > generation) return false;
      const status = asStored({ ...before.status, ...patch });
      const same = canonicalJson(status) === canonicalJson(before.status);
      if (same && before.observed_generation === generation) return false;
      await save(before, { status, observed_generation: generation }, 'status');
      return true;
    },
  };
}

/** Writes changed rows and notes them as changes. */
function recorderOf({ session, queries, at, changes }: WriterDeps) {
  function note({ kind, id, owner, generation }: Row<Kind>, by: Change['by']): void {
    changes.push({ kind, id, owner, by, generation });
  }
  /** Counts the version up and writes the row. */
  async function save<K extends Kind>(
    row: Row<K>,
    change: Partial<Row<K>>,
    by: Change['by'],
  ): Promise<Row<K>> {
    const after = { ...row, ...change, version: row.version + 1, updated_at: at };
    const query = queries[row.kind][by === 'deleted' ? 'markDeleted' : 'update'](encodeRow(after));
    await session.run(query);
    note(after, by);
    return after;
  }
  return { note, save };
}

function newRow<K extends Kind>(kind: K, { id, name, owner, spec, status }: NewRow<K>, at: string): Row<K> {
  const counters = { generation: 1, observed_generation: 0, version: 1 };
  const times = { created_at: at, updated_at: at, deleted_at: null };
  return { kind, id, name, owner, ...counters, ...times, spec: asStored(spec), status: asStored(status) };
}

function noun(kind: Kind): string {
  return kind.toLowerCase();
}

function nameTaken(kind: Kind, name: string, cause: Error): ProblemError {
  const detail = `There is a ${noun(kind)} named ${name} already. Choose another name.`;
  return new ProblemError('conflict', detail, { cause });
}
