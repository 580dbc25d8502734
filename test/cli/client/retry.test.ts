/** What a broken connection costs: one more try, and never a second effect. */
import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { createClient } from '../../../cli/client.ts';
import { systemClock } from '../../../cli/system-clock.ts';
import type { Page, ProjectResource } from '../../../specs/resources.ts';
import { testApi } from '../../support/api.ts';
import { listening } from '../../support/cli.ts';
import { answerJson, scriptedServer } from '../../support/http-server.ts';

function clientAt(test: TestContext, url: string, token = 'svc_api_test') {
  const client = createClient({ url, token, clock: systemClock, version: '1' });
  test.after(() => client.close());
  return client;
}

/** A way to a node on which answers get lost: the first `losses` connections end when the answer comes. */
async function lossyWay(test: TestContext, target: string, losses: number): Promise<string> {
  const { port } = new URL(target);
  const sockets = new Set<Socket>();
  let left = losses;
  const server = createServer((socket) => {
    const onward = new (socket.constructor as new () => Socket)();
    onward.connect(Number(port), '127.0.0.1');
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on('error', () => undefined);
    }
    socket.pipe(onward);
    const isLost = left > 0;
    left -= 1;
    onward.on('data', (chunk) => (isLost ? socket.destroy() : socket.write(chunk)));
    socket.on('close', () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a lost answer', () => {
  it('to a creation is asked for again, and it is created once', async (test) => {
    const api = await testApi(test);
    const client = clientAt(test, await lossyWay(test, await listening(api), 1), api.token);
    const { id } = await client.createProject({ name: 'shop' });
    const { items } = (await api.call('GET', '/v1/projects')).json<Page<ProjectResource>>();
    assert.deepEqual(
      items.map((project) => project.id),
      [id],
    );
  });

  it('to a token is asked for again, and it is the same token', async (test) => {
    const api = await testApi(test);
    const client = clientAt(test, await lossyWay(test, await listening(api), 1), api.token);
    const { id, token } = await client.mintToken({ name: 'ci' });
    const root = await api.accounts.findUser('root');
    const named = (await api.accounts.listTokens(root?.id ?? '', 'api')).filter(({ name }) => name === 'ci');
    assert.deepEqual(
      named.map((one) => one.id),
      [id],
    );
    const me = await api.call('GET', '/v1/me', undefined, { authorization: `Bearer ${token}` });
    assert.equal(me.status, 200);
  });

  it('is asked for once more only', async (test) => {
    const api = await testApi(test);
    const client = clientAt(test, await lossyWay(test, await listening(api), 2), api.token);
    await assert.rejects(client.projects(), { exitCode: 6 });
  });

  it('to what may not be done twice is an error', async (test) => {
    const api = await testApi(test);
    const url = await lossyWay(test, await listening(api), 1);
    const client = clientAt(test, url, api.token);
    await assert.rejects(client.login({ username: 'ada', password: 'x' }), { exitCode: 6 });
  });
});

describe('a request', () => {
  it('has one key for all its tries, and each request another', async (test) => {
    let isFirst = true;
    const server = await scriptedServer(test, (_asked, response) => {
      if (isFirst) response.destroy();
      else answerJson(response, {}, 201);
      isFirst = false;
    });
    const client = clientAt(test, server.url);
    await client.createProject({ name: 'shop' });
    await client.createProject({ name: 'shop' });
    const keys = server.asked.map(({ headers }) => headers['idempotency-key']);
    assert.equal(keys.length, 3);
    assert.equal(keys[0], keys[1]);
    assert.notEqual(keys[1], keys[2]);
    assert.match(String(keys[0]), /^[0-9a-f-]{36}$/);
  });

  it('has none where the node knows none', async (test) => {
    const server = await scriptedServer(test, (_asked, response) => answerJson(response, {}));
    const client = clientAt(test, server.url);
    await client.login({ username: 'ada', password: 'x' });
    await client.rotateKey();
    await client.node();
    assert.deepEqual(
      server.asked.map(({ headers }) => headers['idempotency-key']),
      [undefined, undefined, undefined],
    );
  });

  it('finds a node that is just being restarted', async (test) => {
    const place = await scriptedServer(test, () => undefined);
    await place.close();
    const asking = clientAt(test, place.url).node();
    const server = createServer((socket) => {
      socket.once('data', () =>
        socket.end(
          'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 15\r\n\r\n{"version":"2"}',
        ),
      );
    });
    // After the first try was refused, before the second.
    setTimeout(() => server.listen(Number(new URL(place.url).port), '127.0.0.1'), 80);
    test.after(() => server.close());
    assert.equal((await asking).version, '2');
  });

  it('whose body is gone is not tried again', async (test) => {
    const server = await scriptedServer(test, (_asked, response) => void response.destroy());
    const body = Readable.from([Buffer.from('an archive')]);
    const uploading = clientAt(test, server.url).upload('svc_1', body, new AbortController().signal);
    await assert.rejects(uploading, { exitCode: 6 });
    assert.equal(server.asked.length, 1);
  });
});
