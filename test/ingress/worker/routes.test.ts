import assert from 'node:assert/strict';
import { test } from 'node:test';
import { olderRoute } from '../../../ingress/snapshot.ts';
import { createBalance } from '../../../ingress/worker/balance.ts';
import { compileRoutes, noRoutes } from '../../../ingress/worker/routes.ts';
import { routesTo } from '../support/replicas.ts';

test('hosts lead to services, and to the control plane', () => {
  const control = { host: 'node.test', socket: '/run/api.sock' };
  const routes = compileRoutes({ revision: 3, ...routesTo({ web: { r1: '/s/1' } }, { control }) });
  assert.deepEqual(routes.find('web.test'), {
    ...{ id: 'svc_web', running: true, replicas: ['r1'] },
    ...olderRoute,
  });
  assert.deepEqual(routes.upstream('r1'), { socket: '/s/1', via: 'node' });
  const [api] = routes.find('node.test')?.replicas ?? [];
  assert.deepEqual(routes.upstream(api ?? ''), { socket: '/run/api.sock', via: 'node' });
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

test('answers belong to one host and one path, and an older route set has none', () => {
  const answers = { 'web.test': { '/.well-known/x': 'text' } };
  const routes = compileRoutes({ revision: 1, ...routesTo({}, { answers }) });
  assert.equal(routes.answer('web.test', '/.well-known/x'), 'text');
  assert.equal(routes.answer('web.test', '/.well-known/x?'), undefined);
  assert.equal(routes.answer('other.test', '/.well-known/x'), undefined);
  for (const name of ['constructor', '__proto__']) assert.equal(routes.answer('web.test', name), undefined);
  assert.equal(compileRoutes({ revision: 1, ...routesTo({}) }).answer('web.test', '/'), undefined);
});

test('replicas of a stopped service are not routed', () => {
  const wanted = routesTo({ web: { r1: '/s/1' } });
  const stopped = {
    ...wanted,
    services: { svc_web: { name: 'web', project: 'p', running: false, replicas: ['r1'], ...olderRoute } },
  };
  assert.equal(compileRoutes({ revision: 1, ...wanted }).routed('r1'), true);
  assert.equal(compileRoutes({ revision: 2, ...stopped }).routed('r1'), false);
});

test('replicas take turns, over swaps too, and nobody is asked twice for one request', () => {
  const balance = createBalance();
  const route = { id: 'svc_web', running: true, replicas: ['a', 'b', 'c'], ...olderRoute };
  const turns = Array.from({ length: 4 }, () => balance.pick({ ...route }, new Set()));
  assert.deepEqual(turns, ['a', 'b', 'c', 'a']);
  assert.equal(balance.pick(route, new Set(['a', 'b'])), 'c');
  assert.equal(balance.pick(route, new Set(['a', 'b', 'c'])), undefined);
});
