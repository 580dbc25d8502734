import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { testApi } from '../support/api.ts';
import { at, giveStream, line, openStream, timersOfStream } from '../support/event-stream.ts';

describe('GET /v1/deployments/{id}/logs/stream', () => {
  it('sends what is there, what follows, and the end', async (t) => {
    const api = await testApi(t);
    const { id, reach, path } = await giveStream(api);
    api.logs.append(id, line('one'), {
      event: 'status',
      at,
      status: 'Building',
      reason: 'Building',
      message: 'It is built.',
    });
    const stream = await openStream(api, path);
    const { headers } = stream.response;
    assert.deepEqual(
      [headers['content-type'], headers['cache-control']],
      ['text/event-stream; charset=utf-8', 'no-store'],
    );
    assert.ok(headers['x-request-id']);
    await eventually(() => stream.events().length === 2);
    api.logs.append(id, line('two'));
    await eventually(() => stream.events().length === 3);
    assert.equal(stream.ended(), false);
    api.logs.append(id, line('three'));
    await reach('Healthy');
    await eventually(() => stream.ended());
    assert.deepEqual(stream.events(), [
      '1 log one',
      '2 status Building',
      '3 log two',
      '4 log three',
      '- end Healthy',
    ]);
    assert.ok(
      stream
        .text()
        .includes(
          `id: 1\nevent: log\ndata: {"at":"${at}","phase":"build","stream":"stdout","line":"one"}\n\n`,
        ),
    );
    assert.ok(
      stream
        .text()
        .includes(
          'data: {"at":"2030-01-01T00:00:00.000Z","status":"Building","reason":"Building","message":"It is built."}',
        ),
    );
    assert.ok(stream.text().endsWith('event: end\ndata: {"status":"Healthy"}\n\n'));
  });

  it('ends at once when all is over, the whole log first', async (t) => {
    const api = await testApi(t);
    const { id, reach, path } = await giveStream(api);
    api.logs.append(id, line('one'));
    await reach('Failed');
    const stream = await openStream(api, path);
    await eventually(() => stream.ended());
    assert.deepEqual(stream.events(), ['1 log one', '- end Failed']);
  });

  for (const [given, events] of [
    ['2', ['3 log three', '- end Failed']],
    ['3', ['- end Failed']],
    ['99', ['- end Failed']],
    ['0', ['1 log one', '2 log two', '3 log three', '- end Failed']],
    ['x', ['1 log one', '2 log two', '3 log three', '- end Failed']],
    ['-1', ['1 log one', '2 log two', '3 log three', '- end Failed']],
  ] as const) {
    it(`resumes after Last-Event-ID ${given}`, async (t) => {
      const api = await testApi(t);
      const { id, reach, path } = await giveStream(api);
      api.logs.append(id, line('one'), line('two'), line('three'));
      await reach('Failed');
      const stream = await openStream(api, path, given);
      await eventually(() => stream.ended());
      assert.deepEqual(stream.events(), events);
    });
  }

  it('misses nothing that is appended while the log is read, and sends nothing twice', async (t) => {
    const api = await testApi(t);
    const { id, reach, path } = await giveStream(api);
    const streams = await Promise.all([1, 2, 3].map(() => openStream(api, path)));
    for (let i = 1; i <= 300; i++) {
      api.logs.append(id, line(`line ${i}`));
      if (i % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await reach('Healthy');
    await eventually(() => streams.every((stream) => stream.ended()));
    const wanted = [...Array.from({ length: 300 }, (_, i) => `${i + 1} log line ${i + 1}`), '- end Healthy'];
    for (const stream of streams) assert.deepEqual(stream.events(), wanted);
  });

  it('shows every 15 s that it is alive', async (t) => {
    const api = await testApi(t);
    const { path } = await giveStream(api);
    const stream = await openStream(api, path);
    const comments = () =>
      stream
        .text()
        .split('\n\n')
        .filter((frame) => frame.startsWith(':')).length;
    for (let i = 1; i <= 3; i++) {
      await eventually(() => api.clock.pending === timersOfStream);
      await api.clock.advance(14_999);
      assert.equal(comments(), i - 1);
      await api.clock.advance(1);
      await eventually(() => comments() === i);
    }
  });

  it('leaves no timer, listener or reading behind when the client goes away', async (t) => {
    const api = await testApi(t);
    const { id, path } = await giveStream(api);
    api.logs.append(id, line('one'));
    const stream = await openStream(api, path);
    await eventually(() => api.clock.pending === timersOfStream && api.logs.listening === 1);
    stream.leave();
    await eventually(() => api.clock.pending === 0 && api.logs.listening === 0);
    assert.equal(api.logs.open, 0);
  });

  it('reads the log no faster than the client, and lets go of it half-way', async (t) => {
    const api = await testApi(t);
    const { id, path } = await giveStream(api);
    const total = 2_000;
    api.logs.append(id, ...Array.from({ length: total }, () => line('x'.repeat(50_000))));
    const stream = await openStream(api, path);
    stream.response.pause();
    // It stands still once the buffers of both ends are full.
    let before = -1;
    await eventually(async () => {
      const still = before === api.logs.read && before > 0;
      before = api.logs.read;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return still;
    });
    assert.ok(api.logs.read < total / 2, `${api.logs.read} of ${total} entries were read`);
    assert.equal(api.logs.open, 1);
    stream.leave();
    await eventually(() => api.logs.open === 0 && api.logs.listening === 0);
    assert.ok(api.logs.read < total / 2);
  });

  it('ends with the node, without an end event, so that the client comes back', async (t) => {
    const api = await testApi(t);
    const { id, path } = await giveStream(api);
    api.logs.append(id, line('one'));
    const stream = await openStream(api, path);
    await eventually(() => stream.events().length === 1);
    await api.app.close();
    await eventually(() => stream.ended());
    assert.deepEqual(stream.events(), ['1 log one']);
    assert.equal(api.logs.listening, 0);
  });

  it('breaks off, with a line in the log of the node, when the log cannot be read', async (t) => {
    const api = await testApi(t);
    const { path } = await giveStream(api);
    const stream = await openStream(api, path);
    await eventually(() => api.clock.pending === timersOfStream);
    api.logs.failure = new Error('disk broke');
    api.logs.append('other');
    await api.store.patchStatus('Deployment', path.split('/')[3] ?? '', 1, { message: 'It goes on.' });
    await eventually(() => stream.response.destroyed);
    assert.equal(stream.ended(), false);
    assert.match(api.log(), /disk broke/);
  });
});
