/** What every part of the accounts works on. */
import type { Connection } from '../connection.ts';
import type { QueryBuilder } from '../schema.ts';

export interface AccountTables {
  connection: Connection;
  db: QueryBuilder;
  /** Tells whose access has shrunk. To be called after the commit. */
  shrunk: (userIds: readonly string[]) => void;
}
