import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testApi } from '../../support/api.ts';
import { at, giveStream, line } from '../../support/event-stream.ts';

describe('GET /v1/deployments/{id}/logs', () => {
  it('is the whole log as text', async (t) => {
    const api = await testApi(t);
    const { id } = await giveStream(api);
    api.logs.append(id, line('Step 1'), {
      event: 'status',
      at,
      status: 'Failed',
      reason: 'BuildFailed',
      message: 'No such file.',
    });
    const answer = await api.call('GET', `/v1/deployments/${id}/logs`);
    assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(answer.text, `Step 1\n${at} Failed (BuildFailed): No such file.\n`);
  });

  it('is empty before the first line, and a problem when it cannot be read', async (t) => {
    const api = await testApi(t);
    const { id } = await giveStream(api);
    const empty = await api.call('GET', `/v1/deployments/${id}/logs`);
    assert.deepEqual([empty.status, empty.text], [200, '']);
    api.logs.failure = new Error('disk broke');
    assert.equal((await api.call('GET', `/v1/deployments/${id}/logs`)).problem().code, 'internal');
    assert.equal((await api.call('GET', '/v1/deployments/dep_none/logs')).status, 404);
  });
});
