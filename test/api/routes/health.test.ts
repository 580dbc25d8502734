import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testApi } from '../../support/api.ts';

describe('health', () => {
  it('answers that the node lives and is ready', async (t) => {
    const api = await testApi(t);
    assert.deepEqual((await api.call('GET', '/healthz')).json(), { status: 'ok' });
    assert.deepEqual((await api.call('GET', '/readyz')).json(), { status: 'ok' });
    assert.equal((await api.call('HEAD', '/healthz')).status, 200);
  });

  it('says why the node is not ready, while it lives', async (t) => {
    const api = await testApi(t);
    api.node.reasons = ['The engine is out of reach.', 'The ingress holds no route set.'];
    const answer = await api.call('GET', '/readyz');
    assert.deepEqual(
      [answer.status, answer.problem().code, answer.headers['retry-after']],
      [503, 'unavailable', '1'],
    );
    assert.equal(answer.problem().detail, 'The engine is out of reach. The ingress holds no route set.');
    assert.equal((await api.call('GET', '/healthz')).status, 200);
  });
});

describe('GET /v1/node', () => {
  it('tells what the node is', async (t) => {
    const api = await testApi(t, { settings: { controlDomain: 'svc.example.com' } });
    assert.deepEqual((await api.call('GET', '/v1/node')).json(), {
      version: '1.2.3',
      control_domain: 'svc.example.com',
      apps_domain: 'localhost',
      engine: { reachable: true, endpoint: 'unix:///var/run/docker.sock', version: '20.10', message: null },
      acme: { enabled: false },
      ingress: { workers: [{ slot: 0, pid: 7, revision: 3 }], revision: 3 },
      disks: api.node.disks(),
    });
  });
});
