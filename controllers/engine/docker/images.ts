/** Images at a Docker engine. */
import { Type, type Static } from '@sinclair/typebox';
import type { Clock } from '../../../specs/clock.ts';
import { longestReference } from '../../../specs/image-reference.ts';
import type { Connection } from '../connect.ts';
import { deadlines, withDeadline } from '../deadline.ts';
import { EngineError, type ImageFacts, type ImageState, type Labels } from '../engine.ts';
import { statusOf } from '../errors.ts';
import { expect } from '../expect.ts';
import { labelFilter } from './labels.ts';

const References = Type.Union([Type.Null(), Type.Array(Type.String())]);

const Image = Type.Object({
  Id: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }),
  RepoTags: Type.Optional(References),
  RepoDigests: Type.Optional(References),
});

const Images = Type.Array(
  Type.Object({
    Id: Type.String(),
    RepoTags: Type.Optional(References),
  }),
);

/** The alphabet of image references (distribution/reference): nothing that could leave the path of the call. */
const alphabet = /^(?!.*(\.\.|\/\/))[A-Za-z0-9][A-Za-z0-9_.:@/-]*$/;

export async function listImages({ quick }: Connection, clock: Clock, labels: Labels): Promise<ImageState[]> {
  const filters = { label: labelFilter(labels) };
  const reply: unknown = await withDeadline(clock, 'list images', deadlines.read, (abortSignal) =>
    quick.listImages({ filters, abortSignal }),
  );
  return expect(Images, reply, 'a list of images').map(({ Id, RepoTags }) => {
    return { id: Id, tags: referencesIn(RepoTags) };
  });
}

/** @returns its content id, undefined when the engine has none */
export async function findImage(
  connection: Connection,
  clock: Clock,
  name: string,
): Promise<string | undefined> {
  return (await inspectImage(connection, clock, name))?.id;
}

/** @returns what the engine says of it, undefined when it has none */
export async function inspectImage(
  connection: Connection,
  clock: Clock,
  name: string,
): Promise<ImageFacts | undefined> {
  const image = await inspect(connection, clock, name);
  return image && { id: image.Id, digests: referencesIn(image.RepoDigests) };
}

async function inspect(
  { quick }: Connection,
  clock: Clock,
  name: string,
): Promise<Static<typeof Image> | undefined> {
  const reply: unknown = await withDeadline(clock, 'look for the image', deadlines.read, () =>
    quick.getImage(checked(name)).inspect().catch(unlessMissing),
  );
  return reply === undefined ? undefined : expect(Image, reply, 'an image');
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

/**
 * Succeeds when there is none; `conflict` while a container uses it and has no other tag. An image that was pulled is also
 * known by where it is from, and would stay for that alone: those names go with its last tag.
 */
export async function removeImage(connection: Connection, clock: Clock, name: string): Promise<void> {
  const before = await inspect(connection, clock, name);
  if (!before) return;
  await remove(connection, clock, name);
  if (referencesIn(before.RepoTags).some((tag) => tag !== name)) return;
  const left = await inspect(connection, clock, before.Id);
  if (!left || referencesIn(left.RepoTags).length > 0) return;
  for (const digest of referencesIn(left.RepoDigests)) await remove(connection, clock, digest);
}

async function remove({ quick }: Connection, clock: Clock, name: string): Promise<void> {
  await withDeadline(clock, 'remove the image', deadlines.write, (abortSignal) =>
    (quick.getImage(checked(name)).remove({ abortSignal } as object) as Promise<unknown>).catch(
      unlessMissing,
    ),
  );
}

/** What has no name any more is called `<none>:<none>` or `<none>@<none>` by older engines. */
function referencesIn(names: readonly string[] | null | undefined): string[] {
  return (names ?? []).filter((name) => !name.startsWith('<none>'));
}

/** Throws EngineError when it is no reference. */
export function checked(name: string): string {
  if (name.length > longestReference || !alphabet.test(name))
    throw new EngineError('refused', 'This is no image reference');
  return name;
}

function unlessMissing(error: unknown): undefined {
  if (statusOf(error) === 404) return undefined;
  throw error;
}
