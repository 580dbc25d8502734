import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { connect, negotiate, newestApi } from '../../../controllers/engine/connect.ts';
import { DockerEngine } from '../../../controllers/engine/docker.ts';
import { systemClock } from '../../../controllers/runtime/system-clock.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

async function listen(t: TestContext, path: string, answer: RequestListener): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
}

const engineOf =
  (version: object): RequestListener =>
  ({ url }, response) =>
    void response.end(JSON.stringify(url?.endsWith('/version') ? version : url?.endsWith('/info') ? {} : []));

describe('negotiate', () => {
  it('takes the newest version that both sides speak', () => {
    assert.equal(negotiate({ ApiVersion: '1.41', MinAPIVersion: '1.12' }), '1.41');
    assert.equal(negotiate({ ApiVersion: '1.44', MinAPIVersion: '1.24' }), '1.44');
    assert.equal(negotiate({ ApiVersion: '1.99', MinAPIVersion: '1.44' }), newestApi);
    assert.equal(negotiate({ ApiVersion: '1.41' }), '1.41');
  });

  it('says what to do when there is none', () => {
    assert.throws(() => negotiate({ ApiVersion: '1.9' }), {
      code: 'unavailable',
      message: /too old .*upgrade it/,
    });
    assert.throws(() => negotiate({ ApiVersion: '1.40', MinAPIVersion: '1.12' }), {
      code: 'unavailable',
      message: /too old/,
    });
    assert.throws(() => negotiate({ ApiVersion: '2.3', MinAPIVersion: '2.0' }), {
      code: 'unavailable',
      message: /upgrade svc/,
    });
  });
});

describe('connect', () => {
  const directory = temporaryDirectory();

  it('calls with the negotiated version', async (t) => {
    const path = join(directory, 'a.sock');
    const seen: (string | undefined)[] = [];
    const answer = engineOf({ Version: '20.10.24', ApiVersion: '1.41', MinAPIVersion: '1.12' });
    await listen(t, path, (request, response) => {
      seen.push(request.url);
      answer(request, response);
    });
    const engine = new DockerEngine({ endpoint: `unix://${path}`, clock: systemClock });
    assert.deepEqual(await engine.info(), { version: '20.10.24', apiVersion: '1.41', builder: 'classic' });
    await engine.listNetworks();
    assert.deepEqual(seen, ['/version', '/v1.41/info', '/v1.41/version', '/v1.41/networks']);
  });

  it('negotiates again when the engine comes back as another', async (t) => {
    const path = join(directory, 'b.sock');
    const engine = new DockerEngine({ endpoint: `unix://${path}`, clock: systemClock });
    await assert.rejects(engine.info(), { code: 'unavailable', message: /out of reach/ });
    let version = { Version: '20.10', ApiVersion: '1.41', MinAPIVersion: '1.12' };
    let isUp = true;
    await listen(t, path, (request, response) => {
      if (isUp) engineOf(version)(request, response);
      else request.socket.destroy();
    });
    assert.equal((await engine.info()).apiVersion, '1.41');
    isUp = false;
    await assert.rejects(engine.info(), { code: 'unavailable' });
    isUp = true;
    version = { Version: '29.0', ApiVersion: '1.50', MinAPIVersion: '1.44' };
    assert.equal((await engine.info()).apiVersion, '1.50');
  });

  it('rejects what is no engine', async (t) => {
    for (const [name, answer] of Object.entries<RequestListener>({
      text: (_, response) => void response.end('hello'),
      json: engineOf({ hello: 1 }),
      odd: engineOf({ Version: 'x', ApiVersion: 'latest' }),
    })) {
      const path = join(directory, `${name}.sock`);
      await listen(t, path, answer);
      await assert.rejects(connect(`unix://${path}`, systemClock), {
        code: 'unavailable',
        message: /not its version/,
      });
    }
  });

  it('goes where it is told, whatever the environment says', async (t) => {
    const path = join(directory, 'c.sock');
    await listen(t, path, engineOf({ Version: '1', ApiVersion: '1.43' }));
    const before = process.env['DOCKER_HOST'];
    t.after(() => {
      if (before === undefined) delete process.env['DOCKER_HOST'];
      else process.env['DOCKER_HOST'] = before;
    });
    process.env['DOCKER_HOST'] = 'tcp://192.0.2.1:2375';
    assert.equal((await connect(`unix://${path}`, systemClock)).apiVersion, '1.43');
    process.env['DOCKER_HOST'] = '://';
    await assert.rejects(connect(`unix://${path}`, systemClock), { code: 'refused', message: /DOCKER_HOST/ });
  });

  it('speaks to an address as well', async (t) => {
    const server = createServer(engineOf({ Version: '1', ApiVersion: '1.43' }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const address = server.address();
    assert.ok(typeof address === 'object' && address);
    const engine = new DockerEngine({ endpoint: `tcp://127.0.0.1:${address.port}`, clock: systemClock });
    assert.equal((await engine.info()).apiVersion, '1.43');
    assert.deepEqual(await engine.listNetworks(), []);
  });
});
