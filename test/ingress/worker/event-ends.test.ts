import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EventEnds } from '../../../ingress/worker/event-ends.ts';

for (const end of ['\n', '\r\n', '\r']) {
  test(`an event ends at a blank line, with ${JSON.stringify(end)} and however the bytes are cut`, () => {
    const event = `id: 7${end}data: x${end}${end}`;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: event.length - 1 }), (cut) => {
        const ends = new EventEnds();
        assert.equal(ends.atEnd, true);
        ends.follow(Buffer.from(event));
        assert.equal(ends.atEnd, true);
        ends.follow(Buffer.from(event.slice(0, cut)));
        // Of \r\n\r\n the third byte already ends a line.
        if (cut < event.length - 1) assert.equal(ends.atEnd, false);
        const rest = Buffer.from(`${event.slice(cut)}data: next${end}`);
        const upTo = ends.toEnd(rest);
        assert.equal(upTo, event.length - cut);
      }),
    );
  });
}

test('an event that does not end in what comes is followed', () => {
  const ends = new EventEnds();
  ends.follow(Buffer.from('data: 1\n'));
  assert.equal(ends.toEnd(Buffer.from('data: 2')), undefined);
  assert.equal(ends.toEnd(Buffer.from('\n')), undefined);
  assert.equal(ends.toEnd(Buffer.from('\ndata: 3\n')), 1);
});

test('one line\u2019s end is no blank line', () => {
  const ends = new EventEnds();
  ends.follow(Buffer.from(': ping\r\n'));
  assert.equal(ends.atEnd, false);
});
