/**
 * The store as everybody sees it: rows of the kinds in specs/index.ts, each with a desired half (spec, written by the
 * API) and an observed half (status, written by controllers). What lies behind it is MikroORM's business alone.
 */
import type { Kind, Kinds, Row } from '../../specs/index.ts';
import type { SealWriter } from './vault.ts';

/** A committed change. Published after the commit, in commit order; listeners only wake and must not throw. */
export interface Change {
  kind: Kind;
  id: string;
  owner: string | null;
  /** Which half changed. */
  by: 'spec' | 'status' | 'deleted' | 'purged';
  generation: number;
}

export interface ListOptions {
  owner?: string;
  name?: string;
  /** 1 to 500; everything when absent. */
  limit?: number;
  /** Only rows older than this id (lists are newest first, ids sort by age). */
  before?: string;
}

/** Reads. `undefined` means that there is no such row. Rows that wait for their cleanup (`deleted_at`) are included. */
export interface Reader {
  get<K extends Kind>(kind: K, id: string): Promise<Row<K> | undefined>;
  find<K extends Kind>(kind: K, owner: string | null, name: string): Promise<Row<K> | undefined>;
  /** Newest first. */
  list<K extends Kind>(kind: K, options?: ListOptions): Promise<Row<K>[]>;
}

export interface NewRow<K extends Kind> {
  id: string;
  name: string;
  owner: string | null;
  spec: Kinds[K]['spec'];
  status: Kinds[K]['status'];
}

/** Writes of one transaction: all of them or none. */
export interface Writer extends Reader, SealWriter {
  /** Throws ProblemError `conflict` when a living row of this owner has the name. */
  create<K extends Kind>(kind: K, row: NewRow<K>): Promise<Row<K>>;
  /**
   * Replaces the desired half. The generation rises only if it differs. `ifVersion` guards against a lost update
   * (ProblemError `precondition_failed`). Throws `not_found` when there is no such row.
   */
  updateSpec<K extends Kind>(
    kind: K,
    id: string,
    change: (spec: Kinds[K]['spec']) => Kinds[K]['spec'],
    ifVersion?: number,
  ): Promise<Row<K>>;
  /** Asks for deletion: sets `deleted_at` and raises the generation. Does nothing to a row that is being deleted or gone. */
  markDeleted(kind: Kind, id: string): Promise<void>;
  /** Removes the row. Only a controller that has cleaned up calls it. Does nothing if it is gone. */
  purge(kind: Kind, id: string): Promise<void>;
  /**
   * Ends every membership of a project, and removes the tokens that reach nothing else. Only the controller that removes
   * the project calls it.
   */
  dropMembers(projectId: string): Promise<void>;
  /** As Store.patchStatus, as a part of this transaction: for a status that holds only while other rows are as they are. */
  patchStatus<K extends Kind>(
    kind: K,
    id: string,
    generation: number,
    patch: Partial<Kinds[K]['status']>,
  ): Promise<boolean>;
}

export interface Store extends Reader {
  /**
   * Runs `work` in one transaction (BEGIN IMMEDIATE). Its changes are published after the commit, none if it throws.
   * Everything else waits meanwhile: `work` uses the writer only (the store throws in it) and awaits nothing slow.
   *
   * It is on the disk when it resolves. With `lazy` it waits for no disk, for what the next pass finds out again, such as
   * a status: in order with all other writes, and on the disk with the next that is not lazy, or a little later.
   */
  write<T>(work: (writer: Writer) => Promise<T>, options?: { lazy?: boolean }): Promise<T>;
  /**
   * Merges `patch` into the status of a row, if that differs from what is there, and records `generation` as observed.
   * Guarded: nothing is written when the row is gone or already observed a newer generation. Lazy, but with `durable`,
   * for what could not be found out again.
   * @returns whether something was written
   */
  patchStatus<K extends Kind>(
    kind: K,
    id: string,
    generation: number,
    patch: Partial<Kinds[K]['status']>,
    options?: { durable?: boolean },
  ): Promise<boolean>;
  /** @returns unsubscribe */
  onChange(listener: (change: Change) => void): () => void;
}
