/** Volume: data of a service that outlives its deployments, and the service. Only its own verb destroys it. */
import { Type, type Static } from '@sinclair/typebox';
import { Condition, type Finding } from './conditions.ts';
import { Name } from './meta.ts';
import { VolumeReason } from './reasons.ts';

export const VolumeSpec = Type.Object(
  {
    project_id: Type.String(),
    /** Name of the service that it belongs to: one that is made anew under the name gets its data back. */
    service: Name,
    volume: Name,
  },
  { additionalProperties: false },
);
export type VolumeSpec = Static<typeof VolumeSpec>;

export const VolumeStatus = Type.Object({
  /** What it is called at the engine; null until it is there. */
  engine_name: Type.Union([Type.String(), Type.Null()]),
  conditions: Type.Array(Condition),
});
export type VolumeStatus = Static<typeof VolumeStatus>;

/** That it is there: said by who makes it, and by who looks after it. */
export const volumePresent = {
  type: 'Ready',
  status: 'True',
  reason: VolumeReason.Present,
  message: 'The engine has it.',
} as const satisfies Finding;
