/** Everybody who may come to the API, each with a token that is new at every turn: a request may take it away. */
import { randomBytes } from 'node:crypto';
import { mintBootstrapToken } from '../../../../api/auth/bootstrap-token.ts';
import { timestamp } from '../../../../specs/meta.ts';
import { bearer, giveToken, giveUser, hashOf, type TestApi } from '../../../support/api.ts';

/** Of each of them who has one. */
export const password = 'correct horse';

/** The columns of the matrix. */
export const principals = [
  ...(['anonymous', 'bootstrap', 'super-admin', 'Admin', 'Operator', 'Viewer'] as const),
  // An Admin there. The next two were a super-admin's.
  ...(['member elsewhere', 'revoked', 'expired'] as const),
  // An API token of a super-admin, for no more than a Viewer may.
  'limited',
] as const;
export type PrincipalName = (typeof principals)[number];

export interface Everybody {
  /** Ids of those who have a user. */
  ids: Readonly<Record<'super-admin' | 'Admin' | 'Operator' | 'Viewer' | 'member elsewhere', string>>;
  /** A token that is as the principal's name says, now. */
  tokenOf(name: PrincipalName): Promise<string>;
  /** Id of a new API token of theirs; of the super-admin's for who has no user. */
  apiTokenOf(name: PrincipalName): Promise<string>;
}

export async function everybody(api: TestApi): Promise<Everybody> {
  const { accounts, clock, store } = api;
  const password_hash = await hashOf(password);
  const enter = (name: string, super_admin = false) =>
    giveUser(accounts, clock, name.toLowerCase().replace(' ', '-'), { super_admin, password_hash });
  const ids: Everybody['ids'] = {
    'super-admin': await enter('super-admin', true),
    Admin: await enter('Admin'),
    Operator: await enter('Operator'),
    Viewer: await enter('Viewer'),
    'member elsewhere': await enter('member elsewhere'),
  };
  const root = ids['super-admin'];
  const userOf = (name: PrincipalName) => (name in ids ? ids[name as keyof typeof ids] : root);

  return {
    ids,
    async tokenOf(name) {
      if (name === 'anonymous') return '';
      if (name === 'bootstrap') return mintBootstrapToken(store.nodeKey(), randomBytes);
      if (name === 'limited') return giveToken(accounts, clock, root, 'api', null, { role: 'Viewer' });
      const end = name === 'expired' ? timestamp(clock.now()) : null;
      const token = await giveToken(accounts, clock, userOf(name), 'session', end);
      if (name === 'revoked') await api.call('POST', '/v1/auth/logout', undefined, bearer(token));
      return token;
    },
    async apiTokenOf(name) {
      await giveToken(accounts, clock, userOf(name), 'api');
      return (await accounts.listTokens(userOf(name), 'api', { limit: 1 }))[0]?.id ?? '';
    },
  };
}
