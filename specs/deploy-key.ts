/** DeployKey: the SSH key with which a project's Git sources are cloned. The private half is sealed apart. */
import { Type, type Static } from '@sinclair/typebox';
import { Condition } from './conditions.ts';

export const DeployKeySpec = Type.Object(
  {
    /** `ssh-ed25519`, `ssh-rsa`, `ecdsa-sha2-nistp256`, … */
    type: Type.String(),
    bits: Type.Integer(),
    /** One line in OpenSSH's format, as Git hosts take it. */
    public_key: Type.String(),
    /** `SHA256:…`, as ssh-keygen -l prints it. */
    fingerprint: Type.String(),
    /** Of the sealed private half. */
    private_key_version: Type.Integer({ minimum: 1 }),
  },
  { additionalProperties: false },
);
export type DeployKeySpec = Static<typeof DeployKeySpec>;

export const DeployKeyStatus = Type.Object({ conditions: Type.Array(Condition) });
export type DeployKeyStatus = Static<typeof DeployKeyStatus>;
