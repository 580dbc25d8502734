import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import type { IdempotentRequest } from '../../../api/store/idempotency.ts';
import type { OpenStore } from '../../../api/store/open.ts';
import { aNodeKey, anId, aStore } from '../../support/store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const answer = { status: 201, headers: { etag: '"1"' }, body: '{"token":"svc_api_secret"}' };

function aRequest(said: Partial<IdempotentRequest> = {}): IdempotentRequest {
  const identity = { principal: anId('user'), key: 'key-1', route: 'POST /v1/api-tokens' };
  return { ...identity, digest: 'd0', body_hash: '00', at: '2030-01-01T00:00:00.000Z', ...said };
}

describe('idempotent answers', () => {
  let store: OpenStore;
  let file: string;
  let count = 0;
  const claim = (said?: Partial<IdempotentRequest>) => store.idempotency.claim(aRequest(said));

  beforeEach(async () => {
    file = join(directory, `${++count}.db`);
    store = await aStore({ file });
  });
  afterEach(() => store.close());

  it('let one request through, whoever comes at the same time', async () => {
    const claims = await Promise.all([claim(), claim(), claim()]);
    assert.deepEqual(
      claims.map(({ state }) => state),
      ['new', 'running', 'running'],
    );
  });

  it('are the first one, also after a restart and under a new node key', async () => {
    await claim();
    await store.idempotency.finish(aRequest(), answer);
    assert.deepEqual(await claim({ at: '2030-01-01T10:00:00.000Z' }), { state: 'done', answer });
    await store.vault.rotate(aNodeKey(2));
    await store.close();
    store = await aStore({ file, nodeKeys: [aNodeKey(2)] });
    assert.deepEqual(await claim(), { state: 'done', answer });
    assert.deepEqual(await claim({ body_hash: 'keyed anew' }), { state: 'done', answer });
    assert.deepEqual(await claim({ digest: 'd1', body_hash: 'keyed anew' }), { state: 'differs' });
  });

  it('may be empty', async () => {
    await claim();
    await store.idempotency.finish(aRequest(), { status: 204, headers: {}, body: '' });
    assert.deepEqual(await claim(), { state: 'done', answer: { status: 204, headers: {}, body: '' } });
  });

  it('are not given for another request, and are nobody else’s', async () => {
    await claim();
    for (const status of ['running', 'done']) {
      assert.equal((await claim({ digest: 'd1', body_hash: '01' })).state, 'differs', status);
      assert.equal((await claim({ route: 'POST /v1/projects' })).state, 'differs', status);
      await store.idempotency.finish(aRequest(), answer);
    }
    assert.equal((await claim({ principal: anId('user', 2) })).state, 'new');
    assert.equal((await claim({ key: 'key-2' })).state, 'new');
  });

  it('do not stand in the way of a request that failed', async () => {
    await claim();
    await store.idempotency.release(aRequest({ body_hash: '01' }));
    assert.equal((await claim()).state, 'running');
    await store.idempotency.release(aRequest());
    assert.equal((await claim({ body_hash: '01' })).state, 'new');
  });

  it('stay what they are once they are given', async () => {
    await claim();
    await store.idempotency.finish(aRequest({ body_hash: '01' }), { ...answer, status: 500 });
    assert.equal((await claim()).state, 'running');
    await store.idempotency.finish(aRequest(), answer);
    await store.idempotency.finish(aRequest(), { ...answer, status: 500 });
    await store.idempotency.release(aRequest());
    assert.deepEqual(await claim(), { state: 'done', answer });
  });

  it('go when they are too old, with what was sealed for them', async () => {
    await claim();
    await store.idempotency.finish(aRequest(), answer);
    const late = { key: 'key-2', at: '2030-01-02T00:00:00.000Z' };
    await claim(late);
    await store.idempotency.finish(aRequest(late), { ...answer, body: 'late' });
    assert.equal(await store.idempotency.prune('2030-01-02T00:00:00.000Z'), 1);
    assert.equal(await store.idempotency.prune('2030-01-02T00:00:00.000Z'), 0);
    assert.equal(sealed().length, 1);
    assert.deepEqual(await claim(late), { state: 'done', answer: { ...answer, body: 'late' } });
    assert.equal((await claim()).state, 'new');
    await store.idempotency.finish(aRequest(), { ...answer, body: 'again' });
    assert.deepEqual(await claim(), { state: 'done', answer: { ...answer, body: 'again' } });
  });

  it('of a request that went on for longer than a key lasts are given up', async () => {
    await claim();
    await store.idempotency.prune('2030-01-02T00:00:00.000Z');
    await store.idempotency.finish(aRequest(), answer);
    assert.equal(sealed().length, 0);
    assert.equal((await claim()).state, 'new');
  });

  it('say so when they cannot be read any more', async () => {
    await claim();
    await store.idempotency.finish(aRequest(), answer);
    await store.close();
    store = await aStore({ file, nodeKeys: [aNodeKey(2)] });
    await assert.rejects(claim(), {
      code: 'conflict',
      message: /cannot be read any more.*new Idempotency-Key/,
    });
  });

  it('lie sealed in the database', async () => {
    await claim();
    await store.idempotency.finish(aRequest(), answer);
    assert.equal(sealed().length, 1);
    assert.doesNotMatch(JSON.stringify(sealed()), /svc_api_secret/);
  });

  function sealed(): unknown[] {
    const database = new Sqlite(file, { readonly: true });
    const rows = database.prepare('select * from sealed').all();
    database.close();
    return rows;
  }
});
