/** What a Docker engine's things take on its disk, and its build cache. */
import { Type, type Static } from '@sinclair/typebox';
import type { Clock } from '../../../specs/clock.ts';
import type { Connection } from '../connect.ts';
import { deadlines, withDeadline } from '../deadline.ts';
import { expect } from '../expect.ts';
import type { EngineUsage } from '../usage.ts';
import { openStream } from './stream.ts';

const listOf = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  Type.Optional(Type.Union([Type.Null(), Type.Array(item)]));

const Usage = Type.Object({
  Images: listOf(
    Type.Object({ Id: Type.String(), Size: Type.Number(), SharedSize: Type.Optional(Type.Number()) }),
  ),
  Volumes: listOf(
    Type.Object({
      Name: Type.String(),
      UsageData: Type.Optional(Type.Union([Type.Null(), Type.Object({ Size: Type.Number() })])),
    }),
  ),
  BuildCache: listOf(
    Type.Object({
      InUse: Type.Boolean(),
      Shared: Type.Boolean(),
      Size: Type.Number(),
      LastUsedAt: Type.Optional(Type.Union([Type.Null(), Type.String()])),
    }),
  ),
});

const Pruned = Type.Object({ SpaceReclaimed: Type.Optional(Type.Number()) });

/** The engine walks through every volume for this: not to be asked often. */
export async function diskUsage({ slow }: Connection, clock: Clock): Promise<EngineUsage> {
  const reply: unknown = await withDeadline(clock, 'tell its disk usage', deadlines.usage, (abortSignal) =>
    // The types have no options here; the code takes them.
    (slow.df as (options: object) => Promise<unknown>).call(slow, { abortSignal }),
  );
  return usageOf(expect(Usage, reply, 'its disk usage'));
}

function usageOf({ Images, Volumes, BuildCache }: Static<typeof Usage>): EngineUsage {
  const images = (Images ?? []).map(
    // A size that was not reckoned is -1.
    ({ Id, Size, SharedSize = 0 }) => [Id, Math.max(0, Size - Math.max(0, SharedSize))] as const,
  );
  const volumes = (Volumes ?? []).flatMap(({ Name, UsageData }) =>
    UsageData && UsageData.Size >= 0 ? [[Name, UsageData.Size] as const] : [],
  );
  const buildCache = (BuildCache ?? []).map(({ InUse, Shared, Size, LastUsedAt }) => ({
    ...{ bytes: Size, isNeeded: InUse || Shared, lastUsedAt: LastUsedAt ?? null },
  }));
  return { images: new Map(images), volumes: new Map(volumes), buildCache };
}

/** @param unusedForMs records that were used since then stay. @returns bytes that were freed */
export async function pruneBuildCache(
  { slow }: Connection,
  clock: Clock,
  unusedForMs: number,
): Promise<number> {
  const filters = JSON.stringify({ until: [`${Math.ceil(unusedForMs / 1000)}s`] });
  const reply = await withDeadline(clock, 'prune its build cache', deadlines.usage, async (signal) => {
    const request = { method: 'POST', path: '/build/prune', query: { all: true, filters }, signal } as const;
    let text = '';
    for await (const chunk of await openStream(slow, request)) text += String(chunk);
    return JSON.parse(text) as unknown;
  });
  return expect(Pruned, reply, 'what it pruned').SpaceReclaimed ?? 0;
}
