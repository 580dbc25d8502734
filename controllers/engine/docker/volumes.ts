/** Volumes at a Docker engine: every call may be made twice. */
import { Type } from '@sinclair/typebox';
import type { Clock } from '../../../specs/clock.ts';
import type { Connection } from '../connect.ts';
import { deadlines, withDeadline } from '../deadline.ts';
import { EngineError, type Labels as EngineLabels, type VolumeState } from '../engine.ts';
import { statusOf, toEngineError } from '../errors.ts';
import { expect } from '../expect.ts';
import { carries, labelFilter, Labels } from './labels.ts';

const Volume = Type.Object({ Name: Type.String({ minLength: 1 }), Labels });
/** An engine writes `null` for none. */
const Listed = Type.Object({ Volumes: Type.Optional(Type.Union([Type.Null(), Type.Array(Volume)])) });

/** The engine answers with the one that is there, whatever its labels. */
export async function ensureVolume(
  { quick }: Connection,
  clock: Clock,
  { name, labels }: VolumeState,
): Promise<void> {
  const reply: unknown = await withDeadline(clock, 'create the volume', deadlines.write, (abortSignal) =>
    quick.createVolume({ Name: name, Driver: 'local', Labels: { ...labels }, abortSignal }),
  );
  const found = expect(Type.Object({ name: Type.String() }), reply, 'a new volume');
  const state: unknown = await withDeadline(clock, 'inspect the volume', deadlines.read, (abortSignal) =>
    quick.getVolume(encodeURIComponent(found.name)).inspect({ abortSignal }),
  );
  if (carries(expect(Volume, state, 'a volume').Labels ?? {}, labels)) return;
  throw new EngineError(
    'conflict',
    `A volume ${name} that is not this node's exists at the engine: remove or rename it`,
  );
}

export async function listVolumes(
  { quick }: Connection,
  clock: Clock,
  labels: EngineLabels,
): Promise<VolumeState[]> {
  const filters = JSON.stringify({ label: labelFilter(labels) });
  const reply: unknown = await withDeadline(clock, 'list volumes', deadlines.read, (abortSignal) =>
    quick.listVolumes({ filters, abortSignal }),
  );
  const { Volumes } = expect(Listed, reply, 'a list of volumes');
  return (Volumes ?? []).map((found) => ({ name: found.Name, labels: found.Labels ?? {} }));
}

/** Succeeds when it is gone. */
export async function removeVolume({ quick }: Connection, clock: Clock, name: string): Promise<void> {
  await withDeadline(clock, 'remove the volume', deadlines.write, (abortSignal) =>
    quick
      .getVolume(encodeURIComponent(name))
      .remove({ abortSignal })
      .catch((error: unknown) => {
        if (statusOf(error) !== 404) throw toEngineError(error, 'remove the volume');
      }),
  );
}
