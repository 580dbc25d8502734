/** Sums a pass up: the conditions of a volume. Pure. */
import { setConditions, type Finding } from '../../specs/conditions.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import type { Reason, VolumeReason } from '../../specs/reasons.ts';
import { volumePresent, type VolumeStatus } from '../../specs/volume.ts';
import type { EngineError } from '../engine/engine.ts';
import type { Observed } from './observe.ts';

type VolumeFinding = Finding & { reason: Reason<typeof VolumeReason> };

export function summarize(
  row: Row<'Volume'>,
  finding: VolumeFinding,
  now: number,
): Pick<VolumeStatus, 'conditions'> {
  return { conditions: setConditions(row.status.conditions, [finding], timestamp(now)) };
}

export function readiness({ status }: Row<'Volume'>, { there }: Observed): VolumeFinding {
  const { engine_name: name } = status;
  if (name === null)
    return { type: 'Ready', status: 'False', reason: 'Creating', message: 'It is being made.' };
  if (there.includes(name)) return volumePresent;
  const message = 'The engine has lost it: restore it there, or destroy it to begin with an empty one.';
  return { type: 'Ready', status: 'False', reason: 'Lost', message };
}

/** Why one that is being destroyed is still there. */
export function kept({ code, message }: EngineError): VolumeFinding {
  return code === 'conflict'
    ? {
        type: 'Deleted',
        status: 'False',
        reason: 'InUse',
        message: 'Waiting for the containers that have it to go.',
      }
    : { type: 'Deleted', status: 'False', reason: 'EngineUnavailable', message };
}
