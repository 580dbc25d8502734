/** Puts the accounts together. */
import type { Accounts } from '../accounts.ts';
import { feedOf, type StoreLog } from '../changes.ts';
import type { Connection, WriteSession } from '../connection.ts';
import type { QueryBuilder } from '../schema.ts';
import { dropMembers } from './drop-members.ts';
import { membersOf } from './members.ts';
import type { AccountTables } from './tables.ts';
import { tokensOf } from './tokens.ts';
import { usersOf } from './users.ts';

export interface OpenAccounts {
  accounts: Accounts;
  /** As Writer.dropMembers. `effects` collects what must be done after the commit. */
  dropMembers: (session: WriteSession, projectId: string, effects: (() => void)[]) => Promise<void>;
}

export function openAccounts(connection: Connection, db: QueryBuilder, log: StoreLog): OpenAccounts {
  const feed = feedOf<string>((err, user_id) =>
    log.error({ err, user_id }, 'a listener of access changes failed'),
  );
  const tables: AccountTables = { connection, db, shrunk: (userIds) => feed.publish(userIds) };
  return {
    accounts: {
      ...usersOf(tables),
      ...tokensOf(tables),
      ...membersOf(tables),
      onAccessChange: (listener) => feed.subscribe(listener),
    },
    dropMembers: (session, projectId, effects) => dropMembers(tables, session, projectId, effects),
  };
}
