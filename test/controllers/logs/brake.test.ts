import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBrake } from '../../../controllers/logs/brake.ts';
import { EngineError } from '../../../controllers/engine/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';

/** A workload that prints without end, one piece whenever somebody takes it. */
function flood(clock: ManualClock) {
  const seen = { attached: 0, taken: 0, calls: 0 };
  let refuses = false;
  async function* replicaOutput(_: string, signal: AbortSignal) {
    seen.calls += 1;
    await Promise.resolve();
    if (refuses) throw new EngineError('conflict', 'The container is paused');
    seen.attached += 1;
    try {
      while (!signal.aborted) {
        seen.taken += 1;
        yield Buffer.from('line\n');
      }
    } finally {
      seen.attached -= 1;
    }
  }
  const log = recordingLog();
  const brake = createBrake('c', { pass: () => 100 }, { engine: { replicaOutput }, clock, log });
  return { brake, seen, log, refuse: () => (refuses = true) };
}

describe('a brake', () => {
  it('takes the output of a workload no faster than it may pass, as long as there is reason to', async () => {
    const clock = new ManualClock();
    const { brake, seen } = flood(clock);
    assert.equal(seen.calls, 0, 'nobody attaches to what does not flood');
    brake.hold();
    brake.hold();
    for (let ms = 0; ms < 1_000; ms += 100) await clock.advance(100);
    assert.deepEqual([seen.calls, seen.attached], [1, 1]);
    assert.ok(seen.taken >= 9 && seen.taken <= 12, `${seen.taken}`);
    brake.hold();
    await clock.advance(6_000);
    assert.deepEqual([seen.calls, seen.attached], [1, 1], 'it is not let go in between');
    await clock.advance(10_000);
    assert.equal(seen.attached, 0, 'there is no reason any more');
    brake.hold();
    await clock.advance(100);
    assert.equal(seen.attached, 1);
    await brake.release();
    assert.equal(seen.attached, 0);
    brake.hold();
    await clock.advance(100);
    assert.deepEqual([seen.calls, clock.pending], [2, 0], 'it is released for good');
  });

  it('asks an engine that cannot do it every few seconds only, and goes on without', async () => {
    const clock = new ManualClock();
    const { brake, seen, log, refuse } = flood(clock);
    refuse();
    for (let ms = 0; ms < 4_000; ms += 100) {
      brake.hold();
      await clock.advance(100);
    }
    assert.equal(seen.calls, 1);
    assert.equal(log.lines.length, 1);
    await brake.release();
    assert.equal(clock.pending, 0);
  });
});
