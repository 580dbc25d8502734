import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { createPasswords, passwordCost } from '../../../api/auth/passwords.ts';

const cheap = { memoryCost: 1024, timeCost: 2, parallelism: 1 };

describe('passwords', () => {
  it('are argon2id hashes with the costs of RFC 9106', async () => {
    const hash = await createPasswords(randomBytes).hash('correct horse');
    assert.match(hash, /^\$argon2id\$v=19\$m=65536,p=4,t=3\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.equal(passwordCost.memoryCost, 64 * 1024);
  });

  it('are recognised, and nothing else is', async () => {
    const passwords = createPasswords(randomBytes, cheap);
    const hash = await passwords.hash('correct horse');
    assert.equal(await passwords.verify(hash, 'correct horse'), true);
    assert.equal(await passwords.verify(hash, 'correct horse '), false);
    assert.equal(await passwords.verify(hash, ''), false);
    assert.notEqual(await passwords.hash('correct horse'), hash, 'salted');
  });

  it('of unknown users are checked against a decoy of the same cost', async () => {
    const passwords = createPasswords(randomBytes, cheap);
    assert.equal(await passwords.verify(undefined, 'correct horse'), false);
  });
});
