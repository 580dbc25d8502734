import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { GarbageItem, GarbageReport } from '../../../specs/gc.ts';
import { ProblemError } from '../../../specs/problem.ts';
import { bearer, giveMember, giveService, giveUpload, testApi } from '../../support/api.ts';

const image: GarbageItem = {
  ...{ kind: 'image', name: 'svc/a:b', bytes: 7, reason: 'Its deployment is gone.' },
  ...{ action: 'remove', removed: false, error: null },
};

describe('POST /v1/gc', () => {
  it('says what would go, and takes it only when that was asked for', async (test) => {
    const api = await testApi(test);
    api.garbage.items = [image];
    const planned = await api.call('POST', '/v1/gc', { dry_run: true });
    assert.deepEqual(
      [planned.status, planned.json<GarbageReport>()],
      [200, { dry_run: true, items: [image], bytes_would_free: 7, bytes_freed: 0 }],
    );
    const done = (await api.call('POST', '/v1/gc', {})).json<GarbageReport>();
    assert.deepEqual([done.dry_run, done.bytes_freed, done.items[0]?.removed], [false, 7, true]);
  });

  it('is for super-admins, and takes nothing else in its body', async (test) => {
    const api = await testApi(test);
    const { project } = await giveService(api);
    const { token } = await giveMember(api, 'ada', { [project.id]: 'Admin' });
    const refused = await api.call('POST', '/v1/gc', { dry_run: true }, bearer(token));
    assert.equal(refused.problem().code, 'forbidden');
    assert.equal((await api.call('POST', '/v1/gc', { dryrun: true })).problem().code, 'invalid');
  });
});

describe('a node without room', () => {
  it('refuses uploads and deployments, and writes nothing for them; everything else goes on', async (test) => {
    const api = await testApi(test);
    const { service } = await giveService(api);
    const { upload_id } = await giveUpload(api, service.id);
    api.garbage.full = new ProblemError('unavailable', 'There is no room.', { retryAfter: 60 });
    const deploy = { service_id: service.id, upload_id };
    const deployed = await api.call('POST', '/v1/deployments', deploy);
    assert.deepEqual([deployed.status, deployed.headers['retry-after']], [503, '60']);
    assert.equal(deployed.problem().detail, 'There is no room.');
    const archive = { 'content-type': 'application/zstd' };
    const uploaded = await api.call('POST', `/v1/services/${service.id}/uploads`, undefined, archive);
    assert.equal(uploaded.problem().code, 'unavailable');
    assert.deepEqual(
      [(await api.store.list('Deployment')).length, (await api.store.list('Upload')).length],
      [0, 1],
    );
    assert.equal((await api.call('PATCH', `/v1/services/${service.id}`, { replicas: 2 })).status, 202);

    api.garbage.full = undefined;
    assert.equal((await api.call('POST', '/v1/deployments', deploy)).status, 202);
  });
});
