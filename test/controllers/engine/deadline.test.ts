import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { withDeadline, withIdleDeadline } from '../../../controllers/engine/deadline.ts';
import { ManualClock } from '../../support/manual-clock.ts';

describe('withDeadline', () => {
  it('gives what the call gives and leaves no timer behind', async () => {
    const clock = new ManualClock();
    assert.equal(await withDeadline(clock, 'do it', 1_000, () => Promise.resolve(7)), 7);
    await assert.rejects(
      withDeadline(clock, 'do it', 1_000, () => Promise.reject(new Error('no'))),
      { code: 'unavailable' },
    );
    assert.equal(clock.pending, 0);
  });

  it('rejects at the deadline, tells the call to let go and ignores what comes later', async () => {
    const clock = new ManualClock();
    const late = Promise.withResolvers<number>();
    let released = false;
    const call = withDeadline(clock, 'do it', 30_000, (signal) => {
      signal.addEventListener('abort', () => (released = true));
      return late.promise;
    });
    const rejected = assert.rejects(call, { code: 'unavailable', message: /did not do it within 30 s/ });
    await clock.advance(29_999);
    assert.equal(released, false);
    await clock.advance(1);
    await rejected;
    assert.equal(released, true);
    late.reject(new Error('too late to matter'));
    await clock.advance(1);
  });
});

describe('withIdleDeadline', () => {
  it('lets a stream take any time as long as it is not silent', async () => {
    const clock = new ManualClock();
    const stream = new PassThrough();
    const reading = Array.fromAsync(withIdleDeadline(clock, 'build', 1_000, stream), String);
    for (const text of ['a', 'b', 'c']) {
      await clock.advance(900);
      stream.write(text);
    }
    await clock.advance(900);
    stream.end();
    assert.deepEqual(await reading, ['a', 'b', 'c']);
    assert.equal(clock.pending, 0);
  });

  it('rejects when it is silent for too long, and closes it', async () => {
    const clock = new ManualClock();
    const stream = new PassThrough();
    const reading = assert.rejects(Array.fromAsync(withIdleDeadline(clock, 'build', 1_000, stream)), {
      code: 'unavailable',
    });
    await clock.advance(1_000);
    await reading;
    assert.equal(stream.destroyed, true);
  });

  it('does not count the time that the reader takes', async () => {
    const clock = new ManualClock();
    const stream = new PassThrough();
    stream.end('ab');
    for await (const chunk of withIdleDeadline(clock, 'build', 1_000, stream)) {
      await clock.advance(5_000);
      assert.equal(String(chunk), 'ab');
    }
  });

  it('closes the stream when the reader leaves', async () => {
    const clock = new ManualClock();
    const stream = new PassThrough();
    stream.write('a');
    for await (const chunk of withIdleDeadline(clock, 'build', 1_000, stream)) {
      assert.equal(String(chunk), 'a');
      break;
    }
    assert.equal(stream.destroyed, true);
    assert.equal(clock.pending, 0);
  });
});
