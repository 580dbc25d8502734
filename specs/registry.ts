/** Registry: where a project's external images come from, and as whom they are pulled. The password is sealed apart. */
import { Type, type Static } from '@sinclair/typebox';
import { Condition } from './conditions.ts';

/** `host` or `host:port`, lower case, as it stands at the start of an image's name. */
export const RegistryServer = Type.String({
  pattern:
    '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*(?::[1-9][0-9]{0,4})?$',
  maxLength: 260,
  description: 'host or host:port, such as ghcr.io or registry.example.com:5000',
});

export const RegistrySpec = Type.Object(
  {
    server: RegistryServer,
    username: Type.String({ minLength: 1, maxLength: 256 }),
    /** Of the sealed password. */
    password_version: Type.Integer({ minimum: 1 }),
  },
  { additionalProperties: false },
);
export type RegistrySpec = Static<typeof RegistrySpec>;

export const RegistryStatus = Type.Object({ conditions: Type.Array(Condition) });
export type RegistryStatus = Static<typeof RegistryStatus>;
