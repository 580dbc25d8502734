import assert from 'node:assert/strict';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { createClient } from '../../../cli/client.ts';
import { systemClock } from '../../../cli/system-clock.ts';
import { problems, type ProblemCode } from '../../../specs/problem.ts';
import { answerJson, answerProblem, scriptedServer, type Script } from '../../support/http-server.ts';

const never = new AbortController().signal;

async function clientOf(test: TestContext, script: Script, base = '') {
  const server = await scriptedServer(test, script);
  const client = createClient({
    url: `${server.url}${base}`,
    token: 'svc_api_hush',
    clock: systemClock,
    version: '1.2.3',
  });
  test.after(() => client.close());
  return { client, server };
}

function clientAt(test: TestContext, url: string) {
  const client = createClient({ url, clock: systemClock, version: '1' });
  test.after(() => client.close());
  return client;
}

describe('a request', () => {
  it('carries the token, who asks and an id of its own', async (test) => {
    const { client, server } = await clientOf(test, (_asked, response) =>
      answerJson(response, { version: '1' }),
    );
    await client.node();
    const [asked] = server.asked;
    assert.equal(asked?.method, 'GET');
    assert.equal(asked.path, '/v1/node');
    assert.equal(asked.headers.authorization, 'Bearer svc_api_hush');
    assert.equal(asked.headers['user-agent'], 'svc/1.2.3');
    assert.match(String(asked.headers['x-request-id']), /^[0-9a-f-]{36}$/);
  });

  it('goes below the path of the base URL, with its parts escaped', async (test) => {
    const { client, server } = await clientOf(
      test,
      (_asked, response) => answerJson(response, { items: [], next_cursor: null }),
      '/base',
    );
    await client.services({ project: 'a&b=c', name: undefined });
    await client.service('../projects?x');
    assert.deepEqual(
      server.asked.map(({ path }) => path),
      ['/base/v1/services?project=a%26b%3Dc&limit=500', '/base/v1/services/..%2Fprojects%3Fx'],
    );
  });

  it('reads a list to its last page', async (test) => {
    const { client, server } = await clientOf(test, ({ path }, response) => {
      const cursor = new URL(path, 'http://x').searchParams.get('cursor');
      answerJson(response, {
        items: [{ name: cursor ?? 'first' }],
        next_cursor: cursor === null ? 'second' : cursor === 'second' ? 'third' : null,
      });
    });
    assert.deepEqual(
      (await client.projects()).map(({ name }) => name),
      ['first', 'second', 'third'],
    );
    assert.equal(server.asked.length, 3);
  });
});

describe('an answer that is an error', () => {
  const exitCodes: Record<ProblemCode, number> = {
    bad_request: 5,
    unauthenticated: 3,
    forbidden: 3,
    not_found: 4,
    conflict: 5,
    precondition_failed: 5,
    too_large: 5,
    unsupported_media_type: 5,
    invalid: 5,
    rate_limited: 1,
    internal: 1,
    unavailable: 6,
  };
  for (const [code, exitCode] of Object.entries(exitCodes) as [ProblemCode, number][]) {
    it(`${problems[code].status} ${code} ends with ${exitCode}`, async (test) => {
      const { client } = await clientOf(test, (_asked, response) =>
        answerProblem(response, code, 'Because.'),
      );
      await assert.rejects(client.node(), { name: 'CliError', exitCode, code, message: 'Because.' });
    });
  }

  it('brings every violation along', async (test) => {
    const errors = [
      { path: '/port', message: 'must be a number' },
      { path: '/name', message: 'is missing' },
    ];
    const { client } = await clientOf(test, (_asked, response) =>
      answerProblem(response, 'invalid', 'Two things are wrong.', { errors }),
    );
    await assert.rejects(client.node(), { violations: errors });
  });

  it('names its request id only where the node is at fault', async (test) => {
    const codes: ProblemCode[] = ['internal', 'conflict'];
    const { client } = await clientOf(test, (_asked, response) =>
      answerProblem(response, codes.shift() ?? 'conflict', 'Because.'),
    );
    await assert.rejects(client.node(), { requestId: 'req-1' });
    await assert.rejects(client.node(), { requestId: undefined });
  });

  it('says when to try again', async (test) => {
    const { client } = await clientOf(test, (_asked, response) => {
      response.setHeader('retry-after', '7');
      answerProblem(response, 'unavailable', 'The engine is out of reach.');
    });
    await assert.rejects(client.node(), { next: 'Try again in 7 s.' });
  });

  it('says how to log in again', async (test) => {
    const { client } = await clientOf(test, (_asked, response) =>
      answerProblem(response, 'unauthenticated', 'No.'),
    );
    await assert.rejects(client.node(), { next: 'Log in with: svc auth' });
  });
});

describe('something else than a node', () => {
  const strange: [string, number, string, string, number][] = [
    ['a web page', 200, 'text/html', '<h1>Welcome</h1>', 1],
    ['a web page that is not found', 404, 'text/html', '<h1>No</h1>', 1],
    ['JSON that is none', 200, 'application/json', '{"items": [', 1],
    ['a problem that is none', 500, 'application/problem+json', 'oops', 1],
    ['a redirect', 302, 'text/html', '', 1],
    ['a gateway without its node', 502, 'text/html', '<h1>Bad gateway</h1>', 6],
  ];
  for (const [name, status, type, body, exitCode] of strange) {
    it(`${name} is told apart`, async (test) => {
      const { client } = await clientOf(
        test,
        (_asked, response) => void response.writeHead(status, { 'content-type': type }).end(body),
      );
      await assert.rejects(client.node(), {
        name: 'CliError',
        exitCode,
        message: /no svc node|gateway answered/,
      });
    });
  }
});

describe('a node out of reach', () => {
  it('that refuses the connection', async (test) => {
    const server = await scriptedServer(test, () => undefined);
    await server.close();
    await assert.rejects(clientAt(test, server.url).node(), {
      exitCode: 6,
      message: `The node is out of reach at ${server.url}: is \`svc serve\` running there?`,
    });
  });

  it('whose name does not resolve', async (test) => {
    await assert.rejects(clientAt(test, 'http://no-such-host.invalid').node(), {
      exitCode: 6,
      message: /the name does not resolve/,
    });
  });

  it('that hangs up', async (test) => {
    const server = createTcpServer((socket) => void socket.once('data', () => socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    test.after(() => server.close());
    await assert.rejects(
      clientAt(test, `http://127.0.0.1:${(server.address() as AddressInfo).port}`).node(),
      {
        exitCode: 6,
        message: /the connection failed/,
      },
    );
  });

  it('that speaks something else', async (test) => {
    const server = createTcpServer((socket) => void socket.end('220 smtp.example.com ESMTP\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    test.after(() => server.close());
    await assert.rejects(
      clientAt(test, `http://127.0.0.1:${(server.address() as AddressInfo).port}`).node(),
      {
        exitCode: 1,
        message: /no svc node/,
      },
    );
  });
});

describe('an upload', () => {
  it('is streamed, and answered once it is whole', async (test) => {
    const { client, server } = await clientOf(test, (_asked, response) =>
      answerJson(response, { upload_id: 'upl_1' }, 201),
    );
    const body = Readable.from(['one ', 'two'].map((text) => Buffer.from(text)));
    assert.equal((await client.upload('svc_1', body, never)).upload_id, 'upl_1');
    const [asked] = server.asked;
    assert.equal(asked?.body, 'one two');
    assert.equal(asked.headers['content-type'], 'application/zstd');
    assert.equal(asked.headers['transfer-encoding'], 'chunked');
  });

  it('fails with what its source failed with', async (test) => {
    const { client } = await clientOf(test, (_asked, response) => answerJson(response, {}));
    const failure = Object.assign(new Error('The disk is broken.'), { code: 'EIO' });
    async function* source(): AsyncGenerator<Buffer> {
      yield Buffer.from('one');
      await Promise.resolve();
      throw failure;
    }
    await assert.rejects(
      client.upload('svc_1', Readable.from(source()), never),
      (error) => error === failure,
    );
  });

  it('ends with the user leaving', async (test) => {
    const { client } = await clientOf(test, () => undefined);
    const leave = new AbortController();
    async function* source(): AsyncGenerator<Buffer> {
      yield Buffer.from('one');
      leave.abort();
      await new Promise(() => undefined);
    }
    await assert.rejects(client.upload('svc_1', Readable.from(source()), leave.signal), {
      name: 'AbortError',
    });
  });
});
