import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Snapshot } from '../../../ingress/index.ts';
import { createLedger } from '../../../ingress/supervisor/ledger.ts';
import {
  isTrafficChanges,
  noServiceTraffic,
  noTraffic,
  type ServiceTraffic,
  type Traffic,
  type TrafficChanges,
} from '../../../ingress/traffic.ts';
import { routesTo } from '../support/replicas.ts';

const later = 11 * 60_000;

function snapshot(...replicas: string[]): Snapshot {
  return { revision: 1, ...routesTo({ web: Object.fromEntries(replicas.map((id) => [id, `/s/${id}`])) }) };
}

function parking(replicas: string[], park: boolean): Snapshot {
  const from = snapshot(...replicas);
  const services = Object.entries(from.services).map(([id, route]) => [
    id,
    { ...route, park: park ? { requests: 1, bytes: 1, ms: 1 } : null },
  ]);
  return { ...from, services: Object.fromEntries(services) as Snapshot['services'] };
}

const of = (id: string, figures: Partial<Traffic>): TrafficChanges => ({
  replicas: { [id]: { ...noTraffic(), ...figures } },
  services: {},
});
const ofService = (figures: Partial<ServiceTraffic>): TrafficChanges => ({
  replicas: {},
  services: { svc_web: { ...noServiceTraffic(), ...figures } },
});

test('what workers say is in full each time; several are added up', () => {
  const ledger = createLedger();
  const [one, two] = [{}, {}];
  ledger.publish(snapshot('r'), 0);
  ledger.told(one, of('r', { requests: 3, open: 2, longest_ms: 7 }), 0);
  ledger.told(one, of('r', { requests: 5, open: 1, longest_ms: 9 }), 0);
  ledger.told(two, of('r', { requests: 2, longest_ms: 4, latency: [1, ...noTraffic().latency.slice(1)] }), 0);
  const { replicas, services } = ledger.totals();
  const { requests, open, longest_ms: longest, latency } = replicas['r'] ?? noTraffic();
  assert.deepEqual([requests, open, longest, latency[0]], [7, 1, 9, 1]);
  const { name, project, total } = services['svc_web'] ?? {};
  assert.deepEqual([name, project, total?.requests], ['web', 'demo', 7]);
});

test('what one said that ended stays, but for what was under way; another in its place counts on', () => {
  const ledger = createLedger();
  const [one, two] = [{}, {}];
  ledger.publish(snapshot('r'), 0);
  ledger.told(one, of('r', { requests: 3, open: 2, tunnels: 1 }), 0);
  ledger.told(one, ofService({ parked: 4, waiting: 4 }), 0);
  ledger.gone(one);
  ledger.gone(one);
  ledger.told(two, of('r', { requests: 1, open: 1 }), 0);
  const { replicas, services } = ledger.totals();
  const { requests, open, tunnels } = replicas['r'] ?? noTraffic();
  assert.deepEqual([requests, open, tunnels], [4, 1, 0]);
  assert.deepEqual([services['svc_web']?.parked, services['svc_web']?.waiting], [4, 0]);
});

test('totals are a copy', () => {
  const ledger = createLedger();
  ledger.publish(snapshot('r'), 0);
  ledger.told({}, of('r', { requests: 3 }), 0);
  Object.assign(ledger.totals().replicas['r'] ?? {}, { requests: 99 });
  assert.equal(ledger.totals().replicas['r']?.requests, 3);
});

test('a replica that is not named for long is forgotten, and its service keeps what it did', () => {
  const ledger = createLedger();
  const worker = {};
  ledger.publish(snapshot('old'), 0);
  ledger.told(worker, of('old', { requests: 3 }), 0);
  ledger.publish(snapshot('new'), 1);
  ledger.told(worker, of('new', { requests: 2 }), 1);
  ledger.publish(snapshot('new'), 2);
  assert.deepEqual(Object.keys(ledger.totals().replicas), ['old', 'new']);
  ledger.publish(snapshot('new'), later);
  assert.deepEqual(Object.keys(ledger.totals().replicas), ['new']);
  assert.equal(ledger.totals().services['svc_web']?.total.requests, 5);
  ledger.publish({ ...snapshot(), services: {} }, later);
  ledger.publish({ ...snapshot(), services: {} }, 2 * later);
  assert.deepEqual(ledger.totals(), { replicas: {}, services: {} });
});

test('replicas of a time before are known for a while; what is made up fills nothing', () => {
  const ledger = createLedger();
  ledger.publish(snapshot('r'), 0);
  for (let index = 0; index < 5_000; index += 1) ledger.told({}, of(`made-up-${index}`, { requests: 1 }), 0);
  assert.equal(Object.keys(ledger.totals().replicas).length, 1_001);
  ledger.publish(snapshot('r', 'made-up-0'), later);
  assert.deepEqual(Object.keys(ledger.totals().replicas), ['r', 'made-up-0']);
  ledger.told({}, of('again', { requests: 1 }), later);
  assert.equal(ledger.totals().replicas['again']?.requests, 1);
});

test('the longest wait begins anew when requests are parked again', () => {
  const ledger = createLedger();
  const [one, two] = [{}, {}];
  ledger.publish(parking([], true), 0);
  ledger.told(one, ofService({ parked_longest_ms: 900 }), 0);
  ledger.told(two, ofService({ parked_longest_ms: 700 }), 0);
  ledger.gone(one);
  ledger.publish(parking(['r'], false), 0);
  assert.equal(ledger.totals().services['svc_web']?.parked_longest_ms, 900);
  ledger.publish(parking([], true), 0);
  assert.equal(ledger.totals().services['svc_web']?.parked_longest_ms, 0);
});

for (const [what, changes] of [
  ['no tables', {}],
  ['a figure that is none', of('r', { requests: -1 })],
  ['too few buckets', of('r', { latency: [1] })],
  [
    'a bucket that is none',
    { replicas: { r: { ...noTraffic(), latency: Array(16).fill('1') } }, services: {} },
  ],
  ['a service without figures', { replicas: {}, services: { s: {} } }],
  ['null', { replicas: { r: null }, services: {} }],
] as const) {
  test(`${what}: not taken from a member`, () => {
    assert.equal(isTrafficChanges(structuredClone(changes) as Record<string, unknown>), false);
  });
}

test('what a worker tells is taken', () => {
  const whole = {
    type: 'traffic',
    ...of('r', { requests: 1, latency_ms: 0.5 }),
    services: ofService({ parked: 1 }).services,
  };
  assert.equal(isTrafficChanges(structuredClone(whole)), true);
});
