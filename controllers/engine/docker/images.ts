/** Images at a Docker engine. */
import { Type } from '@sinclair/typebox';
import type { Clock } from '../../../specs/clock.ts';
import type { Connection } from '../connect.ts';
import { deadlines, withDeadline } from '../deadline.ts';
import { EngineError } from '../engine.ts';
import { statusOf } from '../errors.ts';
import { expect } from '../expect.ts';

const Image = Type.Object({ Id: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }) });

/** The alphabet of image references (distribution/reference): nothing that could leave the path of the call. */
const reference = /^(?!.*(\.\.|\/\/))[A-Za-z0-9][A-Za-z0-9_.:@/-]{0,254}$/;

/** @returns its content id, undefined when the engine has none */
export async function findImage(
  { quick }: Connection,
  clock: Clock,
  name: string,
): Promise<string | undefined> {
  const reply: unknown = await withDeadline(clock, 'look for the image', deadlines.read, () =>
    quick.getImage(checked(name)).inspect().catch(unlessMissing),
  );
  return reply === undefined ? undefined : expect(Image, reply, 'an image').Id;
}

/** Succeeds when there is none; `conflict` while a container uses it. */
export async function removeImage({ quick }: Connection, clock: Clock, name: string): Promise<void> {
  await withDeadline(clock, 'remove the image', deadlines.write, (abortSignal) =>
    (quick.getImage(checked(name)).remove({ abortSignal } as object) as Promise<unknown>).catch(
      unlessMissing,
    ),
  );
}

function checked(name: string): string {
  if (!reference.test(name)) throw new EngineError('refused', 'This is no image reference');
  return name;
}

function unlessMissing(error: unknown): undefined {
  if (statusOf(error) === 404) return undefined;
  throw error;
}
