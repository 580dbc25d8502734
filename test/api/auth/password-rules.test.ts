import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { passwordViolations, requireGoodPassword } from '../../../api/auth/password-rules.ts';

const reasons = async (password: string, username = 'ann') =>
  (await passwordViolations(password, username)).map(({ message }) => message);

describe('a new password', () => {
  for (const password of [
    'correct horse',
    'long enough 1',
    'wörter mit Umlaut',
    'abcabdabeabf',
    'tr0ub4dor&3',
  ])
    it(`may be ${password}`, async () => assert.deepEqual(await reasons(password), []));

  for (const password of [
    'qwertyuiop',
    '1234567890',
    'Password123',
    '!!password123??',
    'Liverpool1',
    'basketball',
  ])
    it(`is not ${password}, which is on lists of common ones`, async () =>
      assert.ok((await reasons(password)).includes('is one of the most common passwords')));

  for (const [password, username] of [
    ['administrator', 'administrator'],
    ['Administrator2030!', 'administrator'],
    ['2030-annabella-1', 'annabella'],
    ['1010101010', '1010101010'],
  ] as const)
    it(`is not ${password} for ${username}`, async () =>
      assert.ok((await reasons(password, username)).includes('is made of the username')));

  for (const password of ['aaaaaaaaaa', 'abababababa', 'xk3#xk3#xk3#', 'Zq8!rTzq8!rT'])
    it(`is not ${password}, which repeats`, async () =>
      assert.deepEqual(await reasons(password), ['repeats a shorter text']));

  for (const password of ['klmnopqrst', 'zyxwvutsrqp', 'ABCDEFGhij'])
    it(`is not ${password}, which counts`, async () =>
      assert.ok((await reasons(password)).includes('is a run of characters in order')));

  it('is refused with every reason at once, in the place of the body where it is', async () => {
    await assert.rejects(requireGoodPassword('0123456789', '0123456789'), {
      code: 'invalid',
      errors: [
        { path: '/password', message: 'is made of the username' },
        { path: '/password', message: 'is a run of characters in order' },
      ],
    });
  });
});
