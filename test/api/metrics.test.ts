import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { buildMetrics } from '../../api/metrics.ts';
import { ManualClock } from '../support/manual-clock.ts';

function build(render: () => Promise<{ contentType: string; body: string }>) {
  return buildMetrics({
    render,
    node: {
      engine: () => ({ reachable: false, endpoint: null, version: null, message: null }),
      disks: () => [],
      ingress: () => ({ workers: [], revision: 0 }),
      unready: () => Promise.resolve(['The engine is out of reach.']),
    },
    ...{ clock: new ManualClock(), random: randomBytes, logger: pino({ level: 'silent' }) },
  });
}

describe('metrics listener', () => {
  it('renders what it is handed, and health beside it', async () => {
    const app = build(() =>
      Promise.resolve({ contentType: 'text/plain; version=0.0.4', body: 'svc_up 1\n' }),
    );
    const metrics = await app.inject('/metrics');
    assert.deepEqual(
      [metrics.statusCode, metrics.headers['content-type'], metrics.body],
      [200, 'text/plain; version=0.0.4', 'svc_up 1\n'],
    );
    assert.equal((await app.inject('/healthz')).statusCode, 200);
    assert.equal((await app.inject('/readyz')).statusCode, 503);
  });

  it('has no other route and tells nothing of failures', async () => {
    const app = build(() => Promise.reject(new Error('secret')));
    assert.equal((await app.inject('/v1/node')).statusCode, 404);
    const answer = await app.inject('/metrics');
    assert.deepEqual([answer.statusCode, answer.json<{ code: string }>().code], [500, 'internal']);
    assert.ok(!answer.body.includes('secret'));
  });
});
