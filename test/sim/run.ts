/** Runs a history from its first command to rest, and looks at the invariants after every step. */
import { inspect } from 'node:util';
import { act } from './act.ts';
import { Deadlines, unrest } from './at-rest.ts';
import type { Command } from './history.ts';
import { World, type WorldOptions } from './world.ts';

export interface Outcome {
  violations: string[];
  /** How many of the commands were done when they were found. */
  steps: number;
}

const minute = 60_000;
/** More than everything that is limited can take one after the other: builds above all. */
const longest = 4 * 60 * minute;

export async function run(options: WorldOptions, history: readonly Command[]): Promise<Outcome> {
  const world = await World.begin(options);
  const deadlines = new Deadlines(world);
  let steps = 0;
  const violations = async (): Promise<string[]> => [
    ...world.invariants.violations,
    ...(await world.ledger.lost()),
    ...(await deadlines.passed()),
  ];
  try {
    for (const command of history) {
      options.trace?.write(`${world.clock.elapsed} --- ${inspect(command, { breakLength: Infinity })}\n`);
      await act(world, command);
      steps++;
      const found = await violations();
      if (found.length > 0) return { violations: found, steps };
    }
    world.engineComes();
    await settle(world);
    const found = [...(await violations()), ...(await unrest(world)), ...(await busyAtRest(world))];
    if (found.length > 0) return { violations: found, steps };
    await pushAll(world);
    return {
      violations: [...(await violations()), ...(await unrest(world)), ...(await notServed(world))],
      steps,
    };
  } finally {
    await world.end();
  }
}

/** The faults have stopped: time goes by until everything is as it should be, or should long have been. */
async function settle(world: World): Promise<void> {
  const until = world.clock.elapsed + longest;
  do await world.clock.advance(minute / 2);
  while (
    world.clock.elapsed < until &&
    (await unrest(world)).length > 0 &&
    world.invariants.violations.length === 0
  );
}

/** A node at rest writes nothing, also while it is gone over once more. */
async function busyAtRest(world: World): Promise<string[]> {
  // What hangs at the engine comes to its end.
  await world.clock.advance(5 * minute);
  const before = await rows(world);
  await world.clock.advance(11 * minute);
  const after = await rows(world);
  return after
    .filter((row) => !before.includes(row))
    .map(
      (row) =>
        `(7) ${row} was written to at rest, before: ${before.find((other) => other.slice(0, 40) === row.slice(0, 40))}`,
    );
}

async function rows({ store }: World): Promise<string[]> {
  const kinds = ['Project', 'Service', 'Deployment', 'Replica', 'Upload'] as const;
  const all = await Promise.all(kinds.map((kind) => store.list(kind)));
  return all.flat().map((row) => JSON.stringify(row));
}

/** Whatever happened before, a good push is served. */
async function pushAll(world: World): Promise<void> {
  for (const service of world.services.keys()) {
    await act(world, { do: 'create', service });
    await act(world, { do: 'configure', service, mode: 'one' });
    for (const name of ['TOKEN', 'KEY'] as const)
      await act(world, { do: 'set secret', service, name, value: 'the last one' });
    await act(world, { do: 'push', service, build: 'ok', nature: 'ok' });
  }
  await settle(world);
}

async function notServed({ store }: World): Promise<string[]> {
  return (await store.list('Service'))
    .filter(({ spec, status }) => status.promoted === null || status.promoted !== spec.rollout.target)
    .map(({ name }) => `(7) a good push of ${name} is not served in the end`);
}

/** Leaves out what the failure does not need, for as long as it fails in the same way. */
export async function shrink(options: WorldOptions, history: readonly Command[]): Promise<Command[]> {
  const fails = async (shorter: readonly Command[]): Promise<boolean> =>
    (await run(options, shorter)).violations.length > 0;
  let least = [...history];
  for (let size = Math.ceil(least.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < least.length;) {
      const shorter = least.toSpliced(at, size);
      if (await fails(shorter)) least = shorter;
      else at += size;
    }
  }
  return least;
}
