/** Every migration, oldest first. Append only: the names are written into databases. */
import type { MigrationObject } from '@mikro-orm/sqlite';
import { Initial } from './0001-initial.ts';
import { Access } from './0002-access.ts';
import { Running } from './0003-running.ts';

export const migrations: MigrationObject[] = [
  { name: '0001-initial', class: Initial },
  { name: '0002-access', class: Access },
  { name: '0003-running', class: Running },
];
