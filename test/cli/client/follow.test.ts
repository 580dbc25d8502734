import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { createClient, type Client } from '../../../cli/client.ts';
import type { Clock } from '../../../specs/clock.ts';
import { answerProblem, scriptedServer, type Asked, type ScriptedServer } from '../../support/http-server.ts';

/** Lets every pause pass at once, and remembers how long it was to be. */
class HurriedClock implements Clock {
  readonly pauses: number[] = [];
  time = 0;

  now(): number {
    return this.time;
  }

  after(ms: number, fn: () => void): () => void {
    this.pauses.push(ms);
    const timer = setImmediate(fn);
    return () => clearImmediate(timer);
  }
}

interface World {
  client: Client;
  clock: HurriedClock;
  server: ScriptedServer;
}

async function world(test: TestContext, ...answers: ((response: ServerResponse) => void)[]): Promise<World> {
  const clock = new HurriedClock();
  const server = await scriptedServer(test, (_asked, response) => {
    const answer =
      answers.shift() ?? ((last: ServerResponse) => answerProblem(last, 'internal', 'Not in the script.'));
    answer(response);
  });
  const client = createClient({ url: server.url, token: 'svc_api_test', clock, version: '1' });
  test.after(() => client.close());
  return { client, clock, server };
}

const send = (text: string) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
const breakAfter = (text: string) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(text, () => void response.destroy());
};
/** As a killed process leaves it: in the middle of a chunk. */
const cutAfter = (text: string) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
  response.write(text, () => void response.socket?.end('ff\r\nid: 9\ndata: nev'));
};
const unavailable = (response: ServerResponse) =>
  answerProblem(response, 'unavailable', 'The store is out of reach.');

async function follow({ client }: World, signal = new AbortController().signal): Promise<string[]> {
  return Array.fromAsync(
    client.followDeployment('dep_1', { signal }),
    ({ event, data }) => `${event} ${data}`,
  );
}

function resumed(asked: readonly Asked[]): (string | undefined)[] {
  return asked.map(({ headers }) => headers['last-event-id'] as string | undefined);
}

describe('following a stream', () => {
  it('ends with its end', async (test) => {
    const one = await world(test, send('id: 1\nevent: log\ndata: a\n\nevent: end\ndata: {}\n\n'));
    assert.deepEqual(await follow(one), ['log a', 'end {}']);
    assert.equal(one.server.asked[0]?.path, '/v1/deployments/dep_1/logs/stream');
    assert.equal(one.server.asked[0].headers.accept, 'text/event-stream');
  });

  it('goes on after the last event that came whole', async (test) => {
    const one = await world(
      test,
      breakAfter('id: 1\nevent: log\ndata: a\n\nid: 2\nevent: log\ndata: b\n\nid: 3\nevent: log\nda'),
      cutAfter('id: 3\nevent: log\ndata: c\n\n'),
      send('id: 4\nevent: log\ndata: d\n\n'),
      send('event: end\ndata: {}\n\n'),
    );
    assert.deepEqual(await follow(one), ['log a', 'log b', 'log c', 'log d', 'end {}']);
    assert.deepEqual(resumed(one.server.asked), [undefined, '2', '3', '4']);
  });

  it('waits longer and longer while the node is away, and from the start again once something came', async (test) => {
    const one = await world(
      test,
      send('id: 1\nevent: log\ndata: a\n\n'),
      unavailable,
      unavailable,
      unavailable,
      send('id: 2\nevent: log\ndata: b\n\n'),
      send('event: end\ndata: {}\n\n'),
    );
    assert.deepEqual(await follow(one), ['log a', 'log b', 'end {}']);
    assert.deepEqual(one.clock.pauses, [250, 500, 1_000, 2_000, 250]);
    assert.deepEqual(resumed(one.server.asked), [undefined, '1', '1', '1', '1', '2']);
  });

  it('gives up in the end, with what the last try failed with', async (test) => {
    const one = await world(test, send(''), ...Array.from({ length: 20 }, () => unavailable));
    await assert.rejects(follow(one), { exitCode: 6, message: 'The store is out of reach.' });
    assert.equal(one.server.asked.length, 13);
    assert.ok(Math.max(...one.clock.pauses) === 5_000);
  });

  it('gives up on a stream that is closed again and again without its end', async (test) => {
    const one = await world(test, ...Array.from({ length: 30 }, () => send(': nothing\n\n')));
    await assert.rejects(follow(one), /closes the stream again and again/);
  });

  it('goes on for ever where connections last a while and nothing happens', async (test) => {
    const one = await world(
      test,
      ...Array.from({ length: 30 }, () => (response: ServerResponse) => {
        one.clock.time += 60_000;
        send(': still here\n\n')(response);
      }),
      send('event: end\ndata: {}\n\n'),
    );
    assert.deepEqual(await follow(one), ['end {}']);
    assert.deepEqual(new Set(one.clock.pauses), new Set([250]));
  });

  it('fails at once when the first connection does', async (test) => {
    const one = await world(test, unavailable);
    await assert.rejects(follow(one), { exitCode: 6 });
    assert.equal(one.server.asked.length, 1);
  });

  it('does not try again what trying again will not mend', async (test) => {
    const one = await world(test, send('id: 1\nevent: log\ndata: a\n\n'), (response) =>
      answerProblem(response, 'unauthenticated', 'The token was revoked.'),
    );
    await assert.rejects(follow(one), { exitCode: 3, message: 'The token was revoked.' });
    assert.equal(one.server.asked.length, 2);
  });

  it('ends when the user leaves', async (test) => {
    const leave = new AbortController();
    const one = await world(test, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 1\nevent: log\ndata: a\n\n');
    });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { data } of one.client.followDeployment('dep_1', { signal: leave.signal })) {
        seen.push(data);
        leave.abort();
      }
    })();
    await assert.rejects(reading, { name: 'AbortError' });
    assert.deepEqual(seen, ['a']);
  });
});
