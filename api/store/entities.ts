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
  Registry: 'registry',
  DeployKey: 'deploy_key',
  KnownHost: 'known_host',
  Domain: 'domain',
  Certificate: 'certificate',
  Order: 'acme_order',
  Challenge: 'acme_challenge',
  Volume: 'volume',
  Job: 'job',
  Run: 'run',
} as const satisfies Record<Kind, string>;

/** A hostname is looked up whoever has it, and on behalf of anybody who asks for a challenge. */
function lookups(kind: Kind, tableName: string): { name: string; properties: ['name'] }[] {
  return kind === 'Domain' ? [{ name: `${tableName}_name`, properties: ['name'] }] : [];
}

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
    indexes: [{ name: `${tableName}_owner`, properties: ['owner', 'id'] }, ...lookups(kind, tableName)],
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
    version: p.integer().default(1),
    updated_at: p.text().default(''),
  },
});

const Member = defineEntity({
  name: 'Member',
  tableName: 'member',
  properties: {
    project_id: p.text().primary(),
    user_id: p.text().primary().index('member_user'),
    role: p.text(),
    created_at: p.text(),
    updated_at: p.text(),
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
    project_id: p.text().nullable(),
    role: p.text().nullable(),
  },
});

/** Failed logins in a row, by user and by address. */
const LoginFailure = defineEntity({
  name: 'LoginFailure',
  tableName: 'login_failure',
  properties: { key: p.text().primary(), failures: p.integer(), last_at: p.text() },
});

/**
 * The keys that this database was ever sealed under; the last is the current one, and one that was lost and came back is
 * there twice. The keys themselves are files.
 */
const NodeKey = defineEntity({
  name: 'NodeKey',
  tableName: 'node_key',
  properties: {
    version: p.integer().primary().autoincrement(false),
    fingerprint: p.text(),
    created_at: p.text(),
  },
});

/** Sealed values; `box` opens only under the key of `key_version` and as exactly this row. */
const Sealed = defineEntity({
  name: 'Sealed',
  tableName: 'sealed',
  properties: {
    kind: p.text().primary(),
    owner: p.text().primary().index('sealed_owner'),
    name: p.text().primary(),
    version: p.integer().primary(),
    project: p.text(),
    key_version: p.integer(),
    box: p.text(),
    created_at: p.text(),
  },
});

const Audit = defineEntity({
  name: 'Audit',
  tableName: 'audit',
  properties: {
    id: p.text().primary(),
    at: p.text().index('audit_at'),
    token_kind: p.text().nullable(),
    token_id: p.text().nullable(),
    user_id: p.text().nullable(),
    username: p.text().nullable(),
    address: p.text(),
    method: p.text(),
    route: p.text(),
    project_id: p.text().nullable(),
    object: p.text().nullable(),
    fields: p.json(),
    status: p.integer(),
    code: p.text().nullable(),
    request_id: p.text(),
    count: p.integer(),
    detail: p.text().nullable(),
    object_name: p.text().nullable(),
  },
  triggers: [
    {
      ...{ name: 'audit_is_append_only', timing: 'before', events: ['update'] },
      body: "select raise(abort, 'audit entries never change')",
    },
  ],
});

/** What controllers did, and why. */
const Event = defineEntity({
  name: 'Event',
  tableName: 'event',
  properties: {
    id: p.text().primary(),
    at: p.text(),
    last_at: p.text(),
    count: p.integer(),
    project_id: p.text(),
    kind: p.text(),
    object: p.text(),
    service_id: p.text().nullable(),
    name: p.text(),
    type: p.text(),
    reason: p.text(),
    message: p.text(),
  },
  indexes: [
    { name: 'event_object', properties: ['object', 'id'] },
    { name: 'event_service_id', properties: ['service_id', 'id'] },
    { name: 'event_project_id', properties: ['project_id', 'id'] },
  ],
});

/** First answers by Idempotency-Key; `status` is null while the first request is under way. The body is sealed. */
const Idempotency = defineEntity({
  name: 'Idempotency',
  tableName: 'idempotency',
  properties: {
    principal: p.text().primary(),
    key: p.text().primary(),
    route: p.text(),
    body_hash: p.text(),
    status: p.integer().nullable(),
    headers: p.json().nullable(),
    created_at: p.text().index('idempotency_created_at'),
  },
});

/** Facts about the database itself, by name: which node it belongs to. */
const Meta = defineEntity({
  name: 'Meta',
  tableName: 'meta',
  properties: { name: p.text().primary(), value: p.text() },
});

export const entities = [
  ...kinds.map(resource),
  ...[User, Member, Token, LoginFailure, NodeKey, Sealed, Audit, Event, Idempotency, Meta],
];
