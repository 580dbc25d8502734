/**
 * The tables, as MikroORM entities: one for each kind (all of one shape), and what accounts need. The schema of a
 * database is made by migrations/, never from here; a test holds the two equal. There are no foreign keys: a row goes
 * when its controller has cleaned up, not when its owner goes.
 */
import { defineEntity, p } from '@mikro-orm/sqlite';
import { kinds, type Kind } from '../../specs/index.ts';

/** The table of every kind. A new kind gets an entry here and a migration. */
export const tableOf = {
  Project: 'project',
  Service: 'service',
  Deployment: 'deployment',
  Replica: 'replica',
  Upload: 'upload',
} as const satisfies Record<Kind, string>;

/**
 * A kind: a desired half (`spec`), an observed half (`status`), and what every row has. A row without an owner has
 * `''`, because to a unique index two NULLs are never equal.
 */
function resource(kind: Kind) {
  const tableName = tableOf[kind];
  return defineEntity({
    name: kind,
    tableName,
    properties: {
      id: p.text().primary(),
      name: p.text(),
      owner: p.text(),
      generation: p.integer(),
      observed_generation: p.integer(),
      version: p.integer(),
      created_at: p.text(),
      updated_at: p.text(),
      deleted_at: p.text().nullable(),
      spec: p.json(),
      status: p.json(),
    },
    indexes: [{ name: `${tableName}_owner`, properties: ['owner', 'id'] }],
    uniques: [
      { name: `${tableName}_living_name`, properties: ['owner', 'name'], where: { deleted_at: null } },
    ],
  });
}

const User = defineEntity({
  name: 'User',
  tableName: 'user',
  properties: {
    id: p.text().primary(),
    username: p.text().unique('user_username'),
    password_hash: p.text(),
    super_admin: p.boolean(),
    created_at: p.text(),
  },
});

const Token = defineEntity({
  name: 'Token',
  tableName: 'token',
  properties: {
    id: p.text().primary(),
    kind: p.text(),
    user_id: p.text().index('token_user'),
    name: p.text(),
    hash: p.text().unique('token_hash'),
    created_at: p.text(),
    expires_at: p.text().nullable(),
    last_used_at: p.text().nullable(),
  },
});

/** Facts about the database itself, by name: which node it belongs to. */
const Meta = defineEntity({
  name: 'Meta',
  tableName: 'meta',
  properties: { name: p.text().primary(), value: p.text() },
});

export const entities = [...kinds.map(resource), User, Token, Meta];
