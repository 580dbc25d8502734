import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ask, exchangeRaw } from '../support/client.ts';
import { runDataPath } from '../support/data-paths.ts';
import { httpReplica, routesTo } from '../support/replicas.ts';

const path = '/.well-known/service-challenge/abc';
const answers = { 'web.test': { [path]: 'abc' }, 'new.test': { [path]: 'xyz' } };

describe('what the ingress answers itself', () => {
  test('comes before the route, and without one', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    await httpReplica(t, join(runDir, 'r'), (_, res) => res.end('the service'));
    route(routesTo({ web: { r: join(runDir, 'r') } }, { answers }));
    const { status, headers, body } = await ask(port, 'WEB.test.:80', { path });
    assert.deepEqual([status, body], [200, 'abc']);
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal((await ask(port, 'new.test', { path })).body, 'xyz');
    assert.equal((await ask(port, 'new.test')).status, 404);
  });

  test("is only that host, that path, GET and HEAD: the rest is the service's", async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    await httpReplica(t, join(runDir, 'r'), (req, res) => res.end(`${req.method ?? ''} ${req.url ?? ''}`));
    route(routesTo({ web: { r: join(runDir, 'r') } }, { answers }));
    assert.equal((await ask(port, 'web.test', { path: `${path}/` })).body, `GET ${path}/`);
    assert.equal((await ask(port, 'web.test', { path, method: 'POST' })).body, `POST ${path}`);
    const head = await ask(port, 'web.test', { path, method: 'HEAD' });
    assert.deepEqual([head.status, head.headers['content-length'], head.body], [200, '3', '']);
    assert.equal((await ask(port, 'other.test', { path })).status, 404);
  });

  test('keeps the connection in step', async (t) => {
    const { port, route } = await runDataPath(t);
    route(routesTo({}, { answers }));
    const get = `GET ${path} HTTP/1.1\r\nHost: web.test\r\n`;
    const both = await exchangeRaw(port, `${get}\r\n${get}Connection: close\r\n\r\n`);
    assert.equal(both.match(/\r\n\r\nabc/g)?.length, 2);
  });
});
