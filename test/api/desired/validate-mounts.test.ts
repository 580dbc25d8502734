import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Problem } from '../../../specs/problem.ts';
import { giveService, testApi } from '../../support/api.ts';

const hostPaths = [
  { project: 'shop', name: 'media', path: '/srv/media', readOnly: true },
  { project: 'blog', name: 'secret', path: '/srv/secret', readOnly: false },
];

const create = { project: 'shop', name: 'api', port: 8080 };
const data = (mount: string) => ({ volumes: [{ name: 'data', mount }] });

describe('what a service asks for of the host', () => {
  /** Body → pointer and what is said of it. */
  const refused: [body: object, path: string, message: RegExp][] = [
    [{ privileged: true }, '/privileged', /is unknown here/],
    [{ network_mode: 'host' }, '/network_mode', /is unknown here/],
    [{ host_network: true }, '/host_network', /is unknown here/],
    [{ devices: ['/dev/sda'] }, '/devices', /is unknown here/],
    [{ cap_add: ['SYS_ADMIN'] }, '/cap_add', /is unknown here/],
    [{ resources: { devices: 1 } }, '/resources/devices', /is unknown here/],
    [{ volumes: ['/var/run/docker.sock:/sock'] }, '/volumes/0', /must be/],
    [{ volumes: [{ host: '/var/run/docker.sock', mount: '/sock' }] }, '/volumes/0/host', /has a wrong form/],
    [{ volumes: [{ source: '/', mount: '/host' }] }, '/volumes/0/source', /is unknown here/],
    [
      { volumes: [{ name: 'data', mount: '/x', propagation: 'shared' }] },
      '/volumes/0/propagation',
      /unknown/,
    ],
    [
      { volumes: [{ host: 'docker', mount: '/sock' }] },
      '/volumes/0/host',
      /may mount media\. Who runs the node/,
    ],
    [
      { volumes: [{ host: 'secret', mount: '/x' }] },
      '/volumes/0/host',
      /is not allowed: project shop may mount media/,
    ],
    [data('/proc'), '/volumes/0/mount', /\/proc belongs to the node/],
    [data('/proc/sys'), '/volumes/0/mount', /\/proc belongs to the node/],
    [data('/sys/fs/cgroup'), '/volumes/0/mount', /\/sys belongs to the node/],
    [data('/dev'), '/volumes/0/mount', /\/dev belongs to the node/],
    [data('/run'), '/volumes/0/mount', /\/run\/svc belongs to the node/],
    [data('/run/svc'), '/volumes/0/mount', /\/run\/svc belongs to the node/],
    [data('/'), '/volumes/0/mount', /must not be \//],
    [data('/data/../proc'), '/volumes/0/mount', /must be written out/],
    [data('/data/./x'), '/volumes/0/mount', /must be written out/],
    [data('//proc'), '/volumes/0/mount', /must be written out/],
    [data('/data/'), '/volumes/0/mount', /must be written out/],
    [data('data'), '/volumes/0/mount', /has a wrong form/],
    [data('/data:ro'), '/volumes/0/mount', /has a wrong form/],
    [
      {
        volumes: [
          { name: 'a', mount: '/data' },
          { name: 'b', mount: '/data/b' },
        ],
      },
      '/volumes/0/mount',
      /must not be, lie in, or hold \/data\/b/,
    ],
    [
      {
        volumes: [
          { name: 'a', mount: '/a' },
          { name: 'a', mount: '/b' },
        ],
      },
      '/volumes/1/name',
      /is mounted already: see \/volumes\/0/,
    ],
  ];

  it('is refused with the place and the reason, when it is made and when it is changed', async (t) => {
    const api = await testApi(t, { settings: { hostPaths } });
    const { service } = await giveService(api);
    for (const [body, path, message] of refused) {
      for (const [method, url, sent] of [
        ['POST', '/v1/services', { ...create, ...body }],
        ['PATCH', `/v1/services/${service.id}`, body],
      ] as const) {
        const answer = await api.call(method, url, sent);
        assert.equal(answer.status, 422, `${method} ${JSON.stringify(body)}`);
        const found = answer.json<Problem>().errors?.find((violation) => violation.path === path);
        assert.match(found?.message ?? `nothing at ${path}: ${answer.text}`, message);
      }
    }
  });

  it('is granted where it is a volume, or was allowed to the project', async (t) => {
    const api = await testApi(t, { settings: { hostPaths } });
    const { service } = await giveService(api);
    const volumes = [
      { name: 'data', mount: '/var/lib/data' },
      { host: 'media', mount: '/media' },
    ];
    const answer = await api.call('PATCH', `/v1/services/${service.id}`, { volumes });
    assert.equal(answer.status, 202, answer.text);
    assert.deepEqual(answer.json<{ volumes: unknown }>().volumes, volumes);
    // What is there and was not sent is not judged again.
    assert.equal((await api.call('PATCH', `/v1/services/${service.id}`, { replicas: 2 })).status, 202);
  });
});
