/** Users, tokens and who is asking. */
import { Type, type Static } from '@sinclair/typebox';

/** Not in the form of an id: where a user is named, either will do. */
export const Username = Type.String({
  pattern: '^(?!usr_)[a-z0-9][a-z0-9._-]{0,62}$',
  description:
    'lower-case letters, digits, dot, underscore and hyphen; at most 63 characters; not usr_ at the start',
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

/** Ordered: Viewer < Operator < Admin. */
export const roles = ['Viewer', 'Operator', 'Admin'] as const;
export const Role = Type.Union([Type.Literal('Viewer'), Type.Literal('Operator'), Type.Literal('Admin')]);
export type Role = Static<typeof Role>;

const time = Type.String({ format: 'date-time' });
const nullableTime = Type.Union([time, Type.Null()]);

export const User = Type.Object({
  id: Type.String(),
  username: Type.String(),
  super_admin: Type.Boolean(),
  created_at: time,
  updated_at: time,
});
export type User = Static<typeof User>;

export const CreateUser = Type.Object(
  { username: Username, password: Password, super_admin: Type.Optional(Type.Boolean()) },
  strict,
);
export type CreateUser = Static<typeof CreateUser>;

/** A new password revokes every session and API token of the user. */
export const UpdateUser = Type.Object(
  { password: Type.Optional(Password), super_admin: Type.Optional(Type.Boolean()) },
  { ...strict, minProperties: 1 },
);
export type UpdateUser = Static<typeof UpdateUser>;

/** Body of `PUT /v1/me/password`: revokes the user's other sessions, and with `revoke_tokens` the API tokens too. */
export const ChangePassword = Type.Object(
  {
    current_password: Type.String({ maxLength: 1024 }),
    password: Password,
    revoke_tokens: Type.Optional(Type.Boolean()),
  },
  strict,
);
export type ChangePassword = Static<typeof ChangePassword>;

/** A user's place in a project. */
export const Member = Type.Object({
  user_id: Type.String(),
  username: Type.String(),
  project: Type.String({ description: "the project's name" }),
  project_id: Type.String(),
  role: Role,
  created_at: time,
  updated_at: time,
});
export type Member = Static<typeof Member>;

export const PutMember = Type.Object({ role: Role }, strict);
export type PutMember = Static<typeof PutMember>;

export const Session = Type.Object({
  token: Type.String(),
  /** At the latest; earlier when it lies idle. */
  expires_at: time,
  user: User,
});
export type Session = Static<typeof Session>;

/** Without `project` and `role` a token may do what its owner may; with them no more than that role, there only. */
export const CreateApiToken = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128 }),
    expires_at: Type.Optional(time),
    project: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: "the only project's name or id" }),
    ),
    role: Type.Optional(Role),
  },
  strict,
);
export type CreateApiToken = Static<typeof CreateApiToken>;

export const ApiToken = Type.Object({
  id: Type.String(),
  name: Type.String(),
  /** Name of the only project that it reaches; null for all of its owner's. */
  project: Type.Union([Type.String(), Type.Null()]),
  /** The most that it may do; null for all that its owner may. */
  role: Type.Union([Role, Type.Null()]),
  created_at: time,
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
  /** Whether this token has the rights of a super-admin. */
  super_admin: Type.Boolean(),
  /** The token that was sent; null for the bootstrap token. */
  token: Type.Union([ApiToken, Type.Null()]),
  /** Projects that it reaches by membership, with what it may do there. A super-admin reaches all. */
  projects: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), role: Role })),
});
export type Me = Static<typeof Me>;
