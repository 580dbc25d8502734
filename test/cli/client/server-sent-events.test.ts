import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseEvents, type ServerSentEvent } from '../../../cli/client/server-sent-events.ts';

async function parse(...pieces: (string | Uint8Array)[]): Promise<ServerSentEvent[]> {
  async function* body(): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    for (const piece of pieces) yield Buffer.from(piece);
  }
  return Array.fromAsync(parseEvents(body()));
}

const event = (data: string, more: Partial<ServerSentEvent> = {}) => ({
  id: '',
  event: 'message',
  data,
  ...more,
});

describe('server-sent events', () => {
  // The rules and most rows: HTML standard, 9.2.6 "Interpreting an event stream", and its examples.
  const rows: [string, string, ServerSentEvent[]][] = [
    ['an event', 'event: log\nid: 1\ndata: {"a":1}\n\n', [event('{"a":1}', { event: 'log', id: '1' })]],
    ['data of several lines', 'data: YHOO\ndata: +2\ndata: 10\n\n', [event('YHOO\n+2\n10')]],
    ['a comment', ': still here\n\ndata: x\n\n', [event('x')]],
    [
      'an id that stays until the next one',
      'data: a\nid: 1\n\ndata: b\n\nid\ndata: c\n\n',
      [event('a', { id: '1' }), event('b', { id: '1' }), event('c')],
    ],
    ['empty data, and none', 'data\n\ndata\ndata\n\nevent: x\n\n', [event(''), event('\n')]],
    ['one space taken away, no more', 'data:test\n\ndata:  test\n\n', [event('test'), event(' test')]],
    ['a colon in the data', 'data: a: b:c\n\n', [event('a: b:c')]],
    ['unknown fields', 'retry: 1000\nfoo: bar\nDATA: no\ndata: x\n\n', [event('x')]],
    ['an id with a null, which does not count', 'id: a\0b\ndata: x\n\n', [event('x')]],
    ['a byte order mark', '\uFEFFdata: x\n\n', [event('x')]],
    ['what a broken connection cut off', 'data: x\n\ndata: y\n', [event('x')]],
    ['nothing at all', '', []],
    [
      'an event type only for its own event',
      'event: a\ndata: 1\n\ndata: 2\n\n',
      [event('1', { event: 'a' }), event('2')],
    ],
  ];
  for (const [name, text, events] of rows) {
    for (const [end, lines] of [
      ['LF', '\n'],
      ['CR LF', '\r\n'],
      ['CR', '\r'],
    ] as const) {
      it(`${name} (${end})`, async () => assert.deepEqual(await parse(text.replaceAll('\n', lines)), events));
    }
  }

  it('are the same wherever the bytes are cut', async () => {
    const text =
      'event: log\r\nid: 7\r\ndata: é漢😀\r\ndata: b\r\n\r\n: c\r\rdata: x\n\nid: 8\ndata: y\r\n\n';
    const whole = await parse(text);
    assert.equal(whole.length, 3);
    const bytes = Buffer.from(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const ends = [...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = ends.map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end));
        assert.deepEqual(await parse(...pieces), whole);
      }),
    );
  });
});
