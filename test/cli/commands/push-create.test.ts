import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page, ServiceResource } from '../../../specs/resources.ts';
import { giveService } from '../../support/api.ts';
import { healthy, manifest, pushWorld } from '../../support/pushing.ts';

describe('svc push --create', () => {
  const withBlock = { '.svc': `${manifest}[create]\nport = 8080\nhealth_path = "/healthz"\n` };
  const controlled = { settings: { controlDomain: 'control.example.com' } };

  it('makes the service first, on a node with a control domain', async (test) => {
    const one = await pushWorld(test, { ...controlled, files: withBlock, ends: healthy });
    await one.api.call('POST', '/v1/projects', { name: 'shop' });
    const { code, stderr } = await one.user.svc('push', '--create');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Created service shop\/web\n/);
    const [service] = (await one.api.call('GET', '/v1/services')).json<Page<ServiceResource>>().items;
    assert.deepEqual([service?.name, service?.port, service?.health.path], ['web', 8080, '/healthz']);
  });

  it('pushes to the one that is there', async (test) => {
    const one = await pushWorld(test, { ...controlled, files: withBlock, ends: healthy });
    await giveService(one.api);
    const { code, stderr } = await one.user.svc('push', '--create');
    assert.equal(code, 0);
    assert.doesNotMatch(stderr, /Created/);
  });

  it('is refused on a node without one', async (test) => {
    const one = await pushWorld(test, { files: withBlock });
    await one.api.call('POST', '/v1/projects', { name: 'shop' });
    const { code, stderr } = await one.user.svc('push', '--create');
    assert.equal(code, 5);
    assert.match(stderr, /no control domain[^]*svc services create web -p shop --port 8080/);
    assert.deepEqual((await one.api.call('GET', '/v1/services')).json<Page<ServiceResource>>().items, []);
  });

  it('is refused without the block', async (test) => {
    const one = await pushWorld(test, controlled);
    const { code, stderr } = await one.user.svc('push', '--create');
    assert.equal(code, 2);
    assert.match(stderr, /\[create\] with port/);
  });

  it('says that there is no such project', async (test) => {
    const one = await pushWorld(test, { ...controlled, files: withBlock });
    assert.equal((await one.user.svc('push', '--create')).code, 4);
  });
});
