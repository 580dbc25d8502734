/** Rows in memory that a test writes and publishes by hand: the reading half of the store, nothing else. */
import type { Change, ListOptions, Reader, Store } from '../../api/store/store.ts';
import type { Kind, Row } from '../../specs/index.ts';

export class Rows implements Reader, Pick<Store, 'onChange'> {
  /** Thrown by every read while set. */
  broken: Error | undefined;
  private readonly rows = new Map<string, Row<Kind>>();
  private readonly listeners = new Set<(change: Change) => void>();

  /** A row of which only the identity matters. */
  put(kind: Kind, id: string, owner: string | null = null, generation = 1): void {
    const at = '2030-01-01T00:00:00.000Z';
    const times = { created_at: at, updated_at: at, deleted_at: null };
    const row = {
      kind,
      id,
      name: id,
      owner,
      generation,
      observed_generation: 0,
      version: 1,
      ...times,
      spec: {},
      status: {},
    };
    this.rows.set(id, row as unknown as Row<Kind>);
  }

  /** Tells the listeners of a change of a row. */
  publish(id: string, by: Change['by']): void {
    const { kind, owner, generation } = this.row(id);
    for (const listener of this.listeners) listener({ kind, id, owner, generation, by });
  }

  get<K extends Kind>(kind: K, id: string): Promise<Row<K> | undefined> {
    const row = this.rows.get(id);
    return this.answer(() => (row?.kind === kind ? (row as Row<K>) : undefined));
  }

  find(): never {
    throw new Error('rows are not found by name here');
  }

  list<K extends Kind>(kind: K, { owner, limit, before }: ListOptions = {}): Promise<Row<K>[]> {
    const rows = [...this.rows.values()].filter(
      (row) =>
        row.kind === kind &&
        (owner === undefined || row.owner === owner) &&
        (before === undefined || row.id < before),
    );
    rows.sort((a, b) => (a.id < b.id ? 1 : -1));
    return this.answer(() => rows.slice(0, limit) as Row<K>[]);
  }

  onChange(listener: (change: Change) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  get listening(): number {
    return this.listeners.size;
  }

  private async answer<T>(read: () => T): Promise<T> {
    await Promise.resolve();
    if (this.broken) throw this.broken;
    return read();
  }

  private row(id: string): Row<Kind> {
    const row = this.rows.get(id);
    if (!row) throw new Error(`there is no row ${id}`);
    return row;
  }
}
