/** Users, tokens and who is asking. */
import { Type, type Static } from '@sinclair/typebox';

export const Username = Type.String({
  pattern: '^[a-z0-9][a-z0-9._-]{0,62}$',
  description: 'lower-case letters, digits, dot, underscore and hyphen; at most 63 characters',
});
export const Password = Type.String({ minLength: 10, maxLength: 1024 });

const strict = { additionalProperties: false };

/** Body of bootstrap. */
export const Credentials = Type.Object({ username: Username, password: Password }, strict);
export type Credentials = Static<typeof Credentials>;

/** Body of login: no rule on the password beyond its size, so that a wrong one is a 401 and not a hint. */
export const Login = Type.Object(
  { username: Type.String({ maxLength: 256 }), password: Type.String({ maxLength: 1024 }) },
  strict,
);
export type Login = Static<typeof Login>;

export const User = Type.Object({
  id: Type.String(),
  username: Type.String(),
  super_admin: Type.Boolean(),
  created_at: Type.String({ format: 'date-time' }),
});
export type User = Static<typeof User>;

export const Session = Type.Object({
  token: Type.String(),
  expires_at: Type.String({ format: 'date-time' }),
  user: User,
});
export type Session = Static<typeof Session>;

export const CreateApiToken = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128 }),
    expires_at: Type.Optional(Type.String({ format: 'date-time' })),
  },
  strict,
);
export type CreateApiToken = Static<typeof CreateApiToken>;

const nullableTime = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);

export const ApiToken = Type.Object({
  id: Type.String(),
  name: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: nullableTime,
  last_used_at: nullableTime,
});
export type ApiToken = Static<typeof ApiToken>;

/** Answered once, when it is made. */
export const MintedApiToken = Type.Object({ ...ApiToken.properties, token: Type.String() });
export type MintedApiToken = Static<typeof MintedApiToken>;

/** The current principal (`GET /v1/me`). */
export const Me = Type.Object({
  kind: Type.Union([Type.Literal('bootstrap'), Type.Literal('session'), Type.Literal('api')]),
  user: Type.Union([User, Type.Null()]),
  super_admin: Type.Boolean(),
});
export type Me = Static<typeof Me>;

/** Ordered: Viewer < Operator < Admin. */
export const roles = ['Viewer', 'Operator', 'Admin'] as const;
export type Role = (typeof roles)[number];
