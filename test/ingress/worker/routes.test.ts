import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBalance } from '../../../ingress/worker/balance.ts';
import { compileRoutes, noRoutes } from '../../../ingress/worker/routes.ts';
import { createUsage } from '../../../ingress/worker/usage.ts';
import { routesTo } from '../support/replicas.ts';

test('hosts lead to services, and to the control plane', () => {
  const control = { host: 'node.test', socket: '/run/api.sock' };
  const routes = compileRoutes({ revision: 3, ...routesTo({ web: { r1: '/s/1' } }, { control }) });
  assert.deepEqual(routes.find('web.test'), { id: 'svc_web', running: true, replicas: ['r1'] });
  assert.deepEqual(routes.upstream('r1'), { socket: '/s/1', via: 'bridged' });
  const [api] = routes.find('node.test')?.replicas ?? [];
  assert.deepEqual(routes.upstream(api ?? ''), { socket: '/run/api.sock', via: 'bridged' });
  assert.equal(routes.find('other.test'), undefined);
});

test('names of object members are no hosts', () => {
  const routes = compileRoutes({ revision: 1, ...routesTo({}) });
  for (const name of ['constructor', '__proto__', 'toString']) {
    assert.equal(routes.find(name), undefined);
    assert.equal(routes.upstream(name), undefined);
  }
  assert.equal(noRoutes.revision, 0);
});

test('replicas of a stopped service are not routed', () => {
  const wanted = routesTo({ web: { r1: '/s/1' } });
  const stopped = {
    ...wanted,
    services: { svc_web: { name: 'web', project: 'p', running: false, replicas: ['r1'] } },
  };
  assert.equal(compileRoutes({ revision: 1, ...wanted }).routed('r1'), true);
  assert.equal(compileRoutes({ revision: 2, ...stopped }).routed('r1'), false);
});

test('replicas take turns, over swaps too, and nobody is asked twice for one request', () => {
  const balance = createBalance();
  const route = { id: 'svc_web', running: true, replicas: ['a', 'b', 'c'] };
  const turns = Array.from({ length: 4 }, () => balance.pick({ ...route }, new Set()));
  assert.deepEqual(turns, ['a', 'b', 'c', 'a']);
  assert.equal(balance.pick(route, new Set(['a', 'b'])), 'c');
  assert.equal(balance.pick(route, new Set(['a', 'b', 'c'])), undefined);
});

test('a replica that left the routes is busy until its last request ends', () => {
  const routed = new Set(['old', 'new']);
  const idle: string[] = [];
  const usage = createUsage(
    (id) => routed.has(id),
    (id) => idle.push(id),
  );
  const [first, second, other] = [usage.begin('old'), usage.begin('old'), usage.begin('new')];
  assert.deepEqual(usage.busy(), []);
  routed.delete('old');
  assert.deepEqual(usage.busy(), ['old']);
  first();
  first();
  other();
  assert.deepEqual([usage.busy(), idle], [['old'], []]);
  second();
  assert.deepEqual([usage.busy(), idle], [[], ['old']]);
});
