/** What containers use, as the engine reads it from their cgroups and interfaces. */
import { Type, type Static } from '@sinclair/typebox';
import type { Clock } from '../../../specs/clock.ts';
import type { Connection } from '../connect.ts';
import { deadlines, withDeadline } from '../deadline.ts';
import { EngineError, type ReplicaStats } from '../engine.ts';
import { statusOf } from '../errors.ts';
import { expect } from '../expect.ts';

const Figure = Type.Integer({ minimum: 0 });

/** Of a container that does not run the engine tells the same with nothing in it. */
const Stats = Type.Object({
  cpu_stats: Type.Object({ cpu_usage: Type.Object({ total_usage: Figure }) }),
  memory_stats: Type.Object({
    usage: Type.Optional(Figure),
    limit: Type.Optional(Figure),
    stats: Type.Optional(
      Type.Object({
        /** cgroup v2 and v1: what can be dropped without harm. */
        inactive_file: Type.Optional(Figure),
        total_inactive_file: Type.Optional(Figure),
      }),
    ),
  }),
  networks: Type.Optional(
    Type.Union([
      Type.Null(),
      Type.Record(Type.String(), Type.Object({ rx_bytes: Figure, tx_bytes: Figure })),
    ]),
  ),
  pids_stats: Type.Object({ current: Type.Optional(Figure) }),
});

/** Calls at once: each is a read of a few files there. */
const atOnce = 8;

/** Of those that run, by id. Each is asked for once: the engine's own difference to a second before would take that second. */
export async function replicaStats(
  connection: Connection,
  clock: Clock,
  ids: readonly string[],
): Promise<Map<string, ReplicaStats>> {
  const found = new Map<string, ReplicaStats>();
  const left = [...ids];
  const work = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const stats = await statsOf(connection, clock, id);
      if (stats) found.set(id, stats);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, ids.length) }, work));
  return found;
}

async function statsOf({ quick }: Connection, clock: Clock, id: string): Promise<ReplicaStats | undefined> {
  const container = quick.getContainer(encodeURIComponent(id));
  const reply: unknown = await withDeadline(
    clock,
    'read what a container uses',
    deadlines.read,
    (abortSignal) =>
      // The types have no signal here; the code takes it.
      container.stats({ stream: false, 'one-shot': true, abortSignal } as { stream: false }),
  ).catch((error: unknown) => {
    if (error instanceof EngineError && statusOf(error.cause) === 404) return undefined;
    throw error;
  });
  return reply === undefined ? undefined : read(expect(Stats, reply, 'what a container uses'));
}

/** As `docker stats` counts: memory without the files that the kernel could drop. */
function read({
  cpu_stats,
  memory_stats,
  networks,
  pids_stats,
}: Static<typeof Stats>): ReplicaStats | undefined {
  const { usage, limit, stats } = memory_stats;
  if (usage === undefined || pids_stats.current === undefined) return undefined;
  const droppable = stats?.inactive_file ?? stats?.total_inactive_file ?? 0;
  const interfaces = Object.values(networks ?? {});
  return {
    cpuSeconds: cpu_stats.cpu_usage.total_usage / 1e9,
    memoryBytes: Math.max(0, usage - droppable),
    memoryLimitBytes: limit ?? null,
    receivedBytes: interfaces.reduce((sum, { rx_bytes }) => sum + rx_bytes, 0),
    sentBytes: interfaces.reduce((sum, { tx_bytes }) => sum + tx_bytes, 0),
    pids: pids_stats.current,
  };
}
