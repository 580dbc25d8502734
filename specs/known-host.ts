/** KnownHost: the key of a Git host as it was first seen in a project. Another one is refused until somebody takes this away. */
import { Type, type Static } from '@sinclair/typebox';
import { Condition } from './conditions.ts';

export const KnownHostSpec = Type.Object(
  {
    /** `host` or `[host]:port`, as in OpenSSH's known_hosts. */
    host: Type.String(),
    /** Lines of known_hosts for it, one for each key type that the host offered. */
    lines: Type.Array(Type.String()),
    /** `SHA256:…` of each, as ssh-keygen -l prints them. */
    fingerprints: Type.Array(Type.String()),
  },
  { additionalProperties: false },
);
export type KnownHostSpec = Static<typeof KnownHostSpec>;

export const KnownHostStatus = Type.Object({ conditions: Type.Array(Condition) });
export type KnownHostStatus = Static<typeof KnownHostStatus>;
