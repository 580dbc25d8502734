/** Logging in, who is asking, users and their tokens. */
import type {
  ApiToken,
  ChangePassword,
  CreateApiToken,
  CreateUser,
  Credentials,
  Login,
  Me,
  MintedApiToken,
  Session,
  UpdateUser,
  User,
} from '../../../specs/account.ts';
import type { Transport } from '../http.ts';
import { items } from '../pages.ts';
import { path } from '../path.ts';

export function accountRoutes(http: Transport) {
  return {
    bootstrap: (bootstrapToken: string, json: Credentials) =>
      http.json<User>('POST', '/v1/bootstrap', { json, token: bootstrapToken, keyless: true }),
    login: (json: Login) => http.json<Session>('POST', '/v1/auth/login', { json, keyless: true }),
    /** Ends the session whose token this is. */
    logout: (token: string) => http.json<undefined>('POST', '/v1/auth/logout', { token, keyless: true }),
    me: (token?: string) => http.json<Me>('GET', '/v1/me', { token }),
    changePassword: (json: ChangePassword) => http.json<undefined>('PUT', '/v1/me/password', { json }),

    tokens: () => items<ApiToken>(http, '/v1/api-tokens'),
    mintToken: (json: CreateApiToken, token?: string) =>
      http.json<MintedApiToken>('POST', '/v1/api-tokens', { json, token }),
    revokeToken: (id: string, token?: string) =>
      http.json<undefined>('DELETE', path`/v1/api-tokens/${id}`, { token }),

    users: () => items<User>(http, '/v1/users'),
    /** By id or name, as in the functions below. */
    user: (user: string) => http.json<User>('GET', path`/v1/users/${user}`),
    createUser: (json: CreateUser) => http.json<User>('POST', '/v1/users', { json }),
    updateUser: (user: string, json: UpdateUser) =>
      http.json<User>('PATCH', path`/v1/users/${user}`, { json }),
    deleteUser: (user: string) => http.json<undefined>('DELETE', path`/v1/users/${user}`),
  };
}
