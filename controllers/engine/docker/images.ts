/** Images at a Docker engine. */
import { Type } from '@sinclair/typebox';
import type { Clock } from '../../../specs/clock.ts';
import type { Connection } from '../connect.ts';
import { deadlines, withDeadline } from '../deadline.ts';
import { EngineError, type ImageState, type Labels } from '../engine.ts';
import { statusOf } from '../errors.ts';
import { expect } from '../expect.ts';
import { labelFilter } from './labels.ts';

const Image = Type.Object({ Id: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }) });

/** What has no tag any more is listed as `<none>:<none>` by older engines. */
const Images = Type.Array(
  Type.Object({
    Id: Type.String(),
    RepoTags: Type.Optional(Type.Union([Type.Null(), Type.Array(Type.String())])),
  }),
);

/** The alphabet of image references (distribution/reference): nothing that could leave the path of the call. */
const reference = /^(?!.*(\.\.|\/\/))[A-Za-z0-9][A-Za-z0-9_.:@/-]{0,254}$/;

export async function listImages({ quick }: Connection, clock: Clock, labels: Labels): Promise<ImageState[]> {
  const filters = { label: labelFilter(labels) };
  const reply: unknown = await withDeadline(clock, 'list images', deadlines.read, (abortSignal) =>
    quick.listImages({ filters, abortSignal }),
  );
  return expect(Images, reply, 'a list of images').map(({ Id, RepoTags }) => {
    return { id: Id, tags: (RepoTags ?? []).filter((tag) => tag !== '<none>:<none>') };
  });
}

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

/** @param tag `repository:tag` */
export async function tagImage(
  { quick }: Connection,
  clock: Clock,
  image: string,
  tag: string,
): Promise<void> {
  const [repo = '', version = ''] = checked(tag).split(':');
  await withDeadline(clock, 'tag the image', deadlines.write, (abortSignal) =>
    quick.getImage(checked(image)).tag({ repo, tag: version, abortSignal }),
  );
}

/** Succeeds when there is none; `conflict` while a container uses it and has no other tag. */
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
