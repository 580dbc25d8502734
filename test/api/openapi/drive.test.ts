/** Every operation, driven from the document alone: what it says can be sent is taken, and every answer is as it says. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiWorld } from '../../support/api-world.ts';

/** What the world of this test does not allow, and what it answers then. */
const refused: Readonly<Record<string, number>> = {
  // The node has an account.
  bootstrap: 409,
  // It owns a service; with all parameters, `cascade` among them, it is done.
  deleteProject: 409,
};

describe('every operation of the document', () => {
  it('takes a request made from its schemas, and answers as it declares', async (t) => {
    const world = await ApiWorld.of(t);
    const { driver, description } = world;
    const faults: string[] = [];
    const succeeded = new Map<string, boolean>();
    for (const operation of world.inOrder()) {
      for (const everything of [false, true]) {
        const request = driver.prepare(operation, { everything });
        const answer = await world.send(operation, request);
        const { statusCode, payload } = answer;
        const what = `${operation.id} ${request.method} ${request.url} ${String(request.payload ?? '')} → ${statusCode}`;
        faults.push(...description.faults(operation, answer).map((fault) => `${what}: ${fault}`));
        if (statusCode < 300) await world.settle(operation, payload);
        succeeded.set(operation.id, succeeded.get(operation.id) === true || statusCode < 300);
        if (!everything && statusCode >= 300 && statusCode !== refused[operation.id])
          faults.push(`${what}: ${payload}`);
      }
    }
    assert.deepEqual(faults, []);
    const never = [...succeeded].flatMap(([id, done]) => (done ? [] : [id]));
    assert.deepEqual(never.sort(), ['bootstrap']);
  });

  it('that takes If-Match refuses another version with 412, and names the one it has', async (t) => {
    const world = await ApiWorld.of(t);
    let checked = 0;
    for (const operation of world.inOrder()) {
      const request = world.driver.prepare(operation);
      // To roll back takes one more.
      if (operation.id === 'createDeployment')
        await world.settle(operation, (await world.send(operation, request)).payload);
      if (operation.parameters.some(({ name }) => name === 'If-Match')) {
        for (const tag of ['"999999999"', 'W/"1"', '1', '"x", W/"1"']) {
          const { statusCode, payload } = await world.send(operation, request, { 'if-match': tag });
          assert.equal(statusCode, 412, `${operation.id} If-Match: ${tag} → ${payload}`);
        }
        checked += 1;
      }
      const { statusCode, payload } = await world.send(operation, request, { 'if-match': '*' });
      assert.ok(statusCode !== 412, `${operation.id} If-Match: * → ${payload}`);
      if (statusCode < 300) await world.settle(operation, payload);
    }
    assert.ok(checked > 10);
  });

  it('that takes Idempotency-Key answers the first result again, and does it once', async (t) => {
    const world = await ApiWorld.of(t);
    let checked = 0;
    for (const operation of world.inOrder()) {
      const request = world.driver.prepare(operation);
      const key = { 'idempotency-key': `key-${operation.id}` };
      const takesKey = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
      const first = await world.send(operation, request, key);
      if (takesKey && first.statusCode < 300) {
        const again = await world.send(operation, request, key);
        assert.deepEqual(
          [again.statusCode, again.payload, again.headers['etag'], again.headers['idempotent-replayed']],
          [first.statusCode, first.payload, first.headers['etag'], 'true'],
          operation.id,
        );
        assert.deepEqual(world.description.faults(operation, again), [], operation.id);
        checked += 1;
      }
      assert.equal(first.headers['idempotent-replayed'], undefined);
      if (first.statusCode < 300) await world.settle(operation, first.payload);
    }
    assert.ok(checked > 10);
  });

  it('refuses who has no token as it declares', async (t) => {
    const world = await ApiWorld.of(t);
    for (const operation of world.description.operations) {
      const answer = await world.api.app.inject(world.driver.prepare(operation));
      assert.deepEqual(world.description.faults(operation, answer), [], operation.id);
      if (!operation.isPublic) assert.equal(answer.statusCode, 401, operation.id);
    }
  });
});
