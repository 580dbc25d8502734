import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import type { AuditFilter } from '../../../api/store/audit.ts';
import type { AuditEntry } from '../../../specs/audit.ts';
import { anId, aStore, memoryStore } from '../../support/store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const directory = temporaryDirectory();

function anEntry(n: number, said: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ...{ id: anId('audit', n), at: `2030-01-0${n}T00:00:00.000Z` },
    ...{ token_kind: 'session', token_id: anId('token'), user_id: anId('user'), username: 'ada' },
    ...{ address: '192.0.2.1', method: 'POST', route: '/v1/services', project_id: anId('project') },
    ...{ object: anId('service'), object_name: 'shop/web', fields: ['name', 'env'], status: 201, code: null },
    ...{ detail: null, request_id: 'req_1', count: 1, ...said },
  };
}

describe('the audit', () => {
  it('answers what was put in, newest first', async () => {
    const store = await memoryStore();
    const nobody = { token_kind: null, token_id: null, user_id: null, username: null };
    const entries = [
      anEntry(1),
      anEntry(2, {
        ...nobody,
        project_id: null,
        object: null,
        fields: [],
        status: 401,
        code: 'unauthenticated',
      }),
    ];
    for (const entry of entries) await store.audit.append(entry);
    assert.deepEqual(await store.audit.list(), entries.toReversed());
    await store.close();
  });

  it('answers only what is asked for', async () => {
    const store = await memoryStore();
    const entries = [
      anEntry(1),
      anEntry(2, { user_id: anId('user', 2), status: 403, code: 'forbidden' }),
      anEntry(3, { project_id: null, status: 202 }),
      anEntry(4, { status: 400, code: 'bad_request' }),
    ];
    for (const entry of entries) await store.audit.append(entry);
    const list = async (filter: AuditFilter) =>
      (await store.audit.list(filter)).map(({ at }) => Number(at.slice(9, 10)));
    assert.deepEqual(await list({ limit: 2 }), [4, 3]);
    assert.deepEqual(await list({ limit: 2, before: anId('audit', 3) }), [2, 1]);
    assert.deepEqual(await list({ user_id: anId('user', 2) }), [2]);
    assert.deepEqual(await list({ project_id: anId('project') }), [4, 2, 1]);
    assert.deepEqual(
      await list({ since: '2030-01-02T00:00:00.000Z', until: '2030-01-04T00:00:00.000Z' }),
      [3, 2],
    );
    assert.deepEqual(await list({ result: 'done' }), [3, 1]);
    assert.deepEqual(await list({ result: 'refused' }), [4, 2]);
    assert.deepEqual(await list({ result: 'refused', user_id: anId('user') }), [4]);
    await store.close();
  });

  it('drops what is too old, and only that', async () => {
    const store = await memoryStore();
    for (const n of [1, 2, 3]) await store.audit.append(anEntry(n));
    assert.equal(await store.audit.prune('2030-01-02T00:00:00.000Z'), 1);
    assert.equal(await store.audit.prune('2030-01-02T00:00:00.000Z'), 0);
    assert.deepEqual(await store.audit.list(), [anEntry(3), anEntry(2)]);
    await store.close();
  });

  it('is written once: not even another program changes an entry by accident', async () => {
    const file = join(directory, 'svc.db');
    const store = await aStore({ file });
    await store.audit.append(anEntry(1));
    await store.audit.append(anEntry(2), { lazy: true });
    await assert.rejects(store.audit.append(anEntry(1)), { name: 'NotUniqueError' });
    await store.close();
    const database = new Sqlite(file);
    assert.throws(() => database.exec(`update audit set username = 'eve'`), /audit entries never change/);
    database.close();
    const again = await aStore({ file });
    assert.deepEqual(await again.audit.list(), [anEntry(2), anEntry(1)]);
    await again.close();
  });
});
