/** Facts about the database itself, by name. */
import type { Connection } from './connection.ts';
import type { QueryBuilder } from './schema.ts';

export interface Meta {
  get(name: string): Promise<string | undefined>;
  /** Sets a fact that is not there yet. Throws NotUniqueError when it is: such facts never change. */
  add(name: string, value: string): Promise<void>;
}

export function metaOf(connection: Connection, db: QueryBuilder): Meta {
  return {
    async get(name) {
      const rows = await connection.all(db.selectFrom('meta').selectAll().where('name', '=', name).compile());
      return (rows as { value: string }[])[0]?.value;
    },
    async add(name, value) {
      const query = db.insertInto('meta').values({ name, value }).compile();
      await connection.transaction((session) => session.run(query));
    },
  };
}
