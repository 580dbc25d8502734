import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import argon2 from 'argon2';
import { createPasswords, passwordCost } from '../../../api/auth/passwords.ts';

const cheap = { memoryCost: 1024, timeCost: 2, parallelism: 1 };
const dear = { memoryCost: 4096, timeCost: 3, parallelism: 1 };

const passwordsAt = (cost = passwordCost, stored: readonly string[] = []) =>
  createPasswords(randomBytes, () => Promise.resolve(stored), cost);

describe('passwords', () => {
  it('are argon2id hashes with the costs of RFC 9106', async () => {
    const hash = await passwordsAt().hash('correct horse');
    assert.match(hash, /^\$argon2id\$v=19\$m=65536,p=4,t=3\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.equal(passwordCost.memoryCost, 64 * 1024);
  });

  it('are recognised, and nothing else is', async () => {
    const passwords = passwordsAt(cheap);
    const hash = await passwords.hash('correct horse');
    assert.equal(await passwords.verify(hash, 'correct horse'), true);
    assert.equal(await passwords.verify(hash, 'correct horse '), false);
    assert.equal(await passwords.verify(hash, ''), false);
    assert.notEqual(await passwords.hash('correct horse'), hash, 'salted');
  });

  it('of nobody are never right', async () => {
    assert.equal(await passwordsAt(cheap).verify(undefined, 'correct horse'), false);
  });

  it('that were hashed at another cost stay right, and are outdated when that was lower', async () => {
    const [lower, higher] = [await passwordsAt(cheap).hash('horse'), await passwordsAt(dear).hash('horse')];
    for (const [cost, hash] of [
      [dear, lower],
      [cheap, higher],
    ] as const) {
      assert.equal(await passwordsAt(cost).verify(hash, 'horse'), true);
      assert.equal(await passwordsAt(cost, [lower, higher]).verify(hash, 'horse'), true);
      assert.equal(await passwordsAt(cost).verify(hash, 'mule'), false);
    }
    assert.equal(passwordsAt(dear).isOutdated(lower), true);
    assert.equal(passwordsAt(dear).isOutdated(higher), false);
    assert.equal(passwordsAt(cheap).isOutdated(higher), false);
  });

  it('take the same work to check for everybody: a hash of each cost that there is, in one order', async (t) => {
    const [lower, higher] = [await passwordsAt(cheap).hash('horse'), await passwordsAt(dear).hash('horse')];
    const verify = t.mock.method(argon2, 'verify');
    const passwords = passwordsAt(dear, [higher, 'none', lower, lower]);
    const work = async (hash: string | undefined, password: string) => {
      verify.mock.resetCalls();
      await passwords.verify(hash, password);
      return verify.mock.calls.map(({ arguments: [digest] }) => /m=[^$]*/.exec(digest)?.[0]);
    };
    const unknown = await work(undefined, 'horse');
    assert.deepEqual(unknown, ['m=1024,p=1,t=2', 'm=4096,p=1,t=3']);
    for (const hash of [lower, higher])
      for (const password of ['horse', 'mule']) assert.deepEqual(await work(hash, password), unknown);
  });

  it('are checked once the users can be read again', async () => {
    let isBroken = true;
    const stored = () => (isBroken ? Promise.reject(new Error('disk broke')) : Promise.resolve([]));
    const passwords = createPasswords(randomBytes, stored, cheap);
    const hash = await passwords.hash('horse');
    await assert.rejects(passwords.verify(hash, 'horse'), /disk broke/);
    isBroken = false;
    assert.equal(await passwords.verify(hash, 'horse'), true);
  });
});
