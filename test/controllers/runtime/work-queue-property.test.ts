/** Any sequence of wakes, delays, endings and time keeps the promises at the top of work-queue.ts. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { WorkQueue, Wake } from '../../../controllers/runtime/work-queue.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { manualQueue, type ManualPasses } from '../../support/manual-passes.ts';

const keys = ['a', 'b', 'c', 'd'];
const longestFloor = 1_000;

type Command =
  | { do: 'add'; key: string; wake: Wake }
  | { do: 'addAfter'; key: string; ms: number }
  | { do: 'done'; key: string; after: number | undefined }
  | { do: 'fail'; key: string; generation: number | undefined }
  | { do: 'abandon'; key: string }
  | { do: 'end'; key: string }
  | { do: 'advance'; ms: number };

const key = fc.constantFrom(...keys);
const ms = fc.nat({ max: 3_000 });
const generation = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
const wake = fc.record(
  { priority: fc.constantFrom('normal', 'low'), generation: fc.integer({ min: 1, max: 3 }) },
  { requiredKeys: [] },
);
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), key, wake }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('addAfter' as const), key, ms }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('done' as const), key, after: fc.option(ms, { nil: undefined }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('fail' as const), key, generation }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('abandon' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), key }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('advance' as const), ms }) },
);

/** Somebody was promised a pass that starts after `since` passes of the key, at `by` or earlier. */
interface Promised {
  key: string;
  since: number;
  by: number;
}

class World {
  readonly clock: ManualClock;
  readonly passes: ManualPasses;
  readonly queue: WorkQueue;
  private readonly concurrency: number;
  private promised: Promised[] = [];
  /** What may start a pass of a key: wakes, delays, retries. */
  private readonly causes = new Map(keys.map((key) => [key, 0]));
  private readonly failing = new Set<string>();

  constructor(concurrency: number) {
    this.concurrency = concurrency;
    ({ clock: this.clock, passes: this.passes, queue: this.queue } = manualQueue(concurrency));
  }

  async run(command: Command): Promise<void> {
    if (command.do === 'advance') await this.clock.advance(command.ms);
    else this.apply(command);
    await this.clock.advance(0);
    this.check();
  }

  private apply(command: Exclude<Command, { do: 'advance' }>): void {
    const { key } = command;
    const runs = this.passes.running.includes(key);
    if (command.do === 'add') {
      this.promise(key, this.failing.has(key) ? longestFloor : 0);
      this.queue.add(key, command.wake);
    } else if (command.do === 'addAfter') {
      this.promise(key, Math.max(command.ms, this.failing.has(key) ? longestFloor : 0));
      this.queue.addAfter(key, command.ms);
    } else if (command.do === 'end') {
      if (this.passes.isBusy(key) && !runs) this.passes.end(key);
    } else if (runs && command.do === 'done') {
      this.failing.delete(key);
      this.passes.done(key, command.after);
      if (command.after !== undefined) this.promise(key, command.after);
    } else if (runs && command.do !== 'done') {
      this.failing.add(key);
      this.relax(key);
      if (command.do === 'fail') this.passes.fail(key, command.generation);
      else this.passes.abandon(key);
      this.promise(key, 300_000);
    }
  }

  private promise(key: string, ms: number): void {
    this.causes.set(key, (this.causes.get(key) ?? 0) + 1);
    this.promised.push({ key, since: this.starts(key), by: this.clock.now() + ms });
  }

  private starts(key: string): number {
    return this.passes.started.filter((it) => it === key).length;
  }

  private check(): void {
    const { passes, queue, concurrency } = this;
    assert.deepEqual(passes.overlaps, [], 'two passes over one key');
    assert.ok(passes.peak <= concurrency, 'more passes at once than allowed');
    assert.ok(
      queue.depth === 0 || passes.running.length === concurrency,
      'a key waits although a slot is free',
    );
    for (const key of keys)
      assert.ok(
        this.starts(key) <= (this.causes.get(key) ?? 0),
        `${key} ran more often than anything asked for`,
      );
    this.promised = this.promised.filter(({ key, since }) => this.starts(key) <= since);
    for (const { key, by } of this.promised) {
      const held = passes.isBusy(key) || queue.depth > 0;
      assert.ok(held || this.clock.now() <= by, `${key} was to run by ${by}, and it is ${this.clock.now()}`);
      if (held && this.failing.has(key)) this.relax(key);
    }
  }

  /** A wake that waited through a failure is held to the floor after that failure. */
  private relax(key: string): void {
    for (const it of this.promised) {
      if (it.key === key) it.by = Math.max(it.by, this.clock.now() + longestFloor);
    }
  }

  /** Lets everything succeed from now on. */
  async quiesce(): Promise<void> {
    for (let round = 0; round < 200 && (this.queue.size > 0 || this.passes.running.length > 0); round++) {
      for (const key of keys) {
        await this.run({ do: 'end', key });
        await this.run({ do: 'done', key, after: undefined });
      }
      await this.run({ do: 'advance', ms: 5_000 });
    }
    assert.deepEqual(this.promised, [], 'lost');
    assert.equal(this.queue.size, 0, 'keys with nothing to wait for are kept');
    assert.equal(this.clock.pending, 0, 'timers are left over');
  }
}

it('keeps its promises under any sequence', async () => {
  const sequence = fc.array(command, { maxLength: 80, size: 'max' });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), sequence, async (concurrency, commands) => {
      const world = new World(concurrency);
      for (const each of commands) await world.run(each);
      await world.quiesce();
    }),
    { numRuns: 400 },
  );
});

it('retries a key that always fails no more often than its backoff allows', async () => {
  const wakes = fc.array(fc.nat({ max: 60_000 }), { minLength: 1, maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(wakes, async (pauses) => {
      const { clock, passes, queue } = manualQueue(1);
      const start = clock.now();
      queue.add('a', { generation: 1 });
      await clock.advance(0);
      for (const pause of pauses) {
        if (passes.running.length > 0) passes.fail('a', 1);
        queue.add('a', { generation: 1 });
        await clock.advance(pause);
      }
      // 5 ms doubling reaches the one-second floor at the ninth failure.
      const passed = clock.now() - start;
      const most = 10 + passed / longestFloor;
      assert.ok(passes.started.length <= most, `${passes.started.length} passes in ${passed} ms`);
    }),
    { numRuns: 100 },
  );
});
