import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../../controllers/runtime/metrics.ts';
import { latencyBuckets, noTraffic, type ServiceTotals, type Traffic } from '../../../ingress/index.ts';

function totals(name: string, total: Partial<Traffic>, figures: Partial<ServiceTotals> = {}): ServiceTotals {
  return {
    ...{ unavailable: 0, parked: 0, parked_rejected: 0, parked_longest_ms: 0, waiting: 0 },
    ...{ name, project: 'shop', total: { ...noTraffic(), ...total }, ...figures },
  };
}

async function lines(services: Record<string, ServiceTotals>): Promise<string[]> {
  const { body } = await createMetrics([], { traffic: () => ({ replicas: {}, services }) }).render();
  return body.split('\n');
}

test('figures of the ingress are there by project and service', async () => {
  const found = await lines({
    svc_1: totals(
      'web',
      { requests: 12, errors: 2, failed: 1, open: 3, tunnels: 1 },
      { parked: 4, unavailable: 5 },
    ),
    svc_2: totals('api', { requests: 1 }),
  });
  for (const line of [
    'svc_ingress_requests_total{project="shop",service="web"} 12',
    'svc_ingress_requests_total{project="shop",service="api"} 1',
    'svc_ingress_errors_total{project="shop",service="web"} 2',
    'svc_ingress_failed_total{project="shop",service="web"} 1',
    'svc_ingress_failed_total{project="shop",service="api"} 0',
    'svc_ingress_open{project="shop",service="web"} 3',
    'svc_ingress_websockets{project="shop",service="web"} 1',
    'svc_ingress_parked_total{project="shop",service="web"} 4',
    'svc_ingress_unavailable_total{project="shop",service="web"} 5',
  ])
    assert.ok(found.includes(line), line);
});

test('latencies are a histogram: buckets add up, and times are in seconds', async () => {
  const latency: number[] = noTraffic().latency.map((_, bucket) => (bucket < 2 ? 3 : 0));
  latency[latencyBuckets.length] = 1;
  const found = await lines({ svc_1: totals('web', { latency, latency_ms: 61_500 }) });
  const of = (le: string): string =>
    `svc_ingress_request_seconds_bucket{le="${le}",project="shop",service="web"}`;
  for (const line of [
    '# TYPE svc_ingress_request_seconds histogram',
    `${of('0.001')} 3`,
    `${of('0.002')} 6`,
    `${of('60')} 6`,
    `${of('+Inf')} 7`,
    'svc_ingress_request_seconds_sum{project="shop",service="web"} 61.5',
    'svc_ingress_request_seconds_count{project="shop",service="web"} 7',
  ])
    assert.ok(found.includes(line), line);
  assert.equal(found.filter((line) => line.includes('_seconds_bucket{')).length, latencyBuckets.length + 1);
});

test('a service that took the name of a deleted one is the same series', async () => {
  const found = await lines({
    svc_1: totals('web', { requests: 2, latency: noTraffic().latency.fill(1) }),
    svc_2: totals('web', { requests: 3, latency: noTraffic().latency.fill(1) }),
  });
  assert.ok(found.includes('svc_ingress_requests_total{project="shop",service="web"} 5'));
  const count = 2 * (latencyBuckets.length + 1);
  assert.deepEqual(
    found.filter((line) => line.startsWith('svc_ingress_request_seconds_count')),
    [`svc_ingress_request_seconds_count{project="shop",service="web"} ${count}`],
  );
});

test('what is no longer known is not shown any longer', async () => {
  let services: Record<string, ServiceTotals> = { svc_1: totals('web', { requests: 1 }) };
  const metrics = createMetrics([], { traffic: () => ({ replicas: {}, services }) });
  assert.match((await metrics.render()).body, /service="web"/);
  services = {};
  assert.doesNotMatch((await metrics.render()).body, /service="web"/);
});
