/** Upload: a staged build context. It goes away after its build, and after an hour unused. */
import { Type, type Static } from '@sinclair/typebox';
import { Condition } from './conditions.ts';

export const UploadSpec = Type.Object(
  {
    service_id: Type.String(),
    /** Bytes as they came (compressed). */
    bytes: Type.Integer({ minimum: 0 }),
    /** Bytes of the files in it. */
    unpacked_bytes: Type.Integer({ minimum: 0 }),
    entries: Type.Integer({ minimum: 0 }),
    sha256: Type.String(),
  },
  { additionalProperties: false },
);
export type UploadSpec = Static<typeof UploadSpec>;

export const UploadStatus = Type.Object({ conditions: Type.Array(Condition) });
export type UploadStatus = Static<typeof UploadStatus>;
