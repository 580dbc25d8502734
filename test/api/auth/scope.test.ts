import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ProjectResource, RegistryResource } from '../../../specs/resources.ts';
import { bearer, giveDeployment, giveMember, giveService, testApi, type Method } from '../../support/api.ts';

/** What lies in a project that the caller is no member of, and what is not there at all. */
async function scene(t: TestContext) {
  const api = await testApi(t);
  const { project, service } = await giveService(api);
  const deployment = await giveDeployment(api, service.id);
  const credentials = { server: 'registry.example.com', username: 'ci', password: 'correct horse' };
  const registry = (
    await api.call('POST', '/v1/projects/shop/registries', credentials)
  ).json<RegistryResource>();
  const home = (await api.call('POST', '/v1/projects', { name: 'home' })).json<ProjectResource>();
  const { token } = await giveMember(api, 'ann', { [home.id]: 'Admin' });
  const reads = [
    t.mock.method(api.store, 'get'),
    t.mock.method(api.store, 'find'),
    t.mock.method(api.store, 'list'),
  ];
  async function ask(method: Method, url: string, body?: object) {
    for (const read of reads) read.mock.resetCalls();
    const headers = { ...bearer(token), 'x-request-id': 'same' };
    const { status, text, headers: answered } = await api.call(method, url, body, headers);
    const sent = Object.keys(answered).filter((name) => name !== 'date');
    return { status, text, sent, reads: reads.map((read) => read.mock.callCount()) };
  }
  return {
    ask,
    ids: { project: project.id, service: service.id, deployment: deployment.id, registry: registry.id },
  };
}

const none = (prefix: string) => `${prefix}_00000000000000000000000000`;

describe('what the caller may not know of', () => {
  for (const [what, make] of [
    ['a project by name', (ids) => ['GET', '/v1/projects/', ids ? 'shop' : 'nonesuch']],
    ['a project by id', (ids) => ['GET', '/v1/projects/', ids?.project ?? none('prj')]],
    ['its members', (ids) => ['GET', '/v1/projects/', `${ids?.project ?? none('prj')}/members`]],
    [
      'its registry',
      (ids) => [
        'GET',
        '/v1/projects/',
        `${ids?.project ?? none('prj')}/registries/${ids?.registry ?? none('reg')}`,
      ],
    ],
    ['a service', (ids) => ['GET', '/v1/services/', ids?.service ?? none('svc')]],
    ['its log', (ids) => ['GET', '/v1/services/', `${ids?.service ?? none('svc')}/logs`]],
    ['a restart', (ids) => ['POST', '/v1/services/', `${ids?.service ?? none('svc')}/restart`]],
    ['a deployment', (ids) => ['GET', '/v1/deployments/', ids?.deployment ?? none('dep')]],
    ['its stream', (ids) => ['GET', '/v1/deployments/', `${ids?.deployment ?? none('dep')}/logs/stream`]],
    [
      'a new service',
      (ids) => ['POST', '/v1/services', '', { project: ids ? 'shop' : 'nonesuch', name: 'x', port: 1 }],
    ],
    [
      'a new deployment',
      (ids) => [
        'POST',
        '/v1/deployments',
        '',
        { service_id: ids?.service ?? none('svc'), upload_id: 'upl_x' },
      ],
    ],
    [
      'a token for it',
      (ids) => ['POST', '/v1/api-tokens', '', { name: 'x', project: ids?.project ?? none('prj') }],
    ],
    ['its deployments', (ids) => ['GET', `/v1/deployments?service_id=${ids?.service ?? none('svc')}`, '']],
    ['its services', (ids) => ['GET', `/v1/services?project=${ids ? 'shop' : 'nonesuch'}`, '']],
  ] as [
    string,
    (ids: Awaited<ReturnType<typeof scene>>['ids'] | undefined) => [Method, string, string, object?],
  ][])
    it(`is, as ${what}, like what is not there: same answer, same reads`, async (t) => {
      const { ask, ids } = await scene(t);
      const [foreign, missing] = [make(ids), make(undefined)].map(
        ([method, base, rest, body]) => [method, base + rest, body] as const,
      );
      assert.ok(foreign && missing);
      const [there, absent] = [await ask(...foreign), await ask(...missing)];
      assert.deepEqual(there, absent);
      assert.ok(there.status === 404 || /^\{"items":\[\]/.test(there.text), there.text);
    });
});
