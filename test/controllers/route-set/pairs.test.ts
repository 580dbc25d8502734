import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { installPairs } from '../../../controllers/route-set/pairs.ts';
import { plan, type RouteSet } from '../../../controllers/route-set/plan.ts';
import type { CertificatePair } from '../../../ingress/index.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { aCertificate, aDomain, aProject, aService, aStore, anId } from '../../support/store.ts';

const hostname = 'shop.example.com';
const issued = aCertificate({ status: { chain: 'PEM', key_version: 1 } });
const pair = `${issued.id}.1`;

function certificates(seen: object = {}, control: RouteSet['control'] = null): RouteSet['certificates'] {
  const observed = {
    ...{ projects: [aProject()], services: [aService({ spec: { tls_enabled: true } })] },
    ...{ deployments: [], replicas: [], challenges: [], certificates: [issued] },
    domains: [aDomain({ status: { phase: 'Verified' } })],
    ...seen,
  };
  const upstreamOf = (id: string) => ({ socket: id, via: 'bridged' }) as const;
  return plan(observed, { appsDomain: null, control, upstreamOf }).certificates;
}

it('a hostname is served with the certificate of the service that it leads to', () => {
  assert.deepEqual(certificates(), { [hostname]: pair });
});

it('it is not served with one that is not issued, goes, or is of somebody else', () => {
  const deleted_at = '2030-01-01T00:00:00.000Z';
  for (const certificate of [
    aCertificate(),
    { ...issued, deleted_at },
    { ...issued, spec: { ...issued.spec, service_id: anId('service', 2) } },
    { ...issued, spec: { ...issued.spec, service_id: null } },
  ])
    assert.deepEqual(certificates({ certificates: [certificate] }), {});
  assert.deepEqual(certificates({ domains: [aDomain()] }), {});
});

it('the control domain has its own', () => {
  const spec = { hostname: 'svc.example.com', domain_id: null, service_id: null, project_id: null };
  const own = aCertificate({ owner: null, spec, status: issued.status });
  const control = { host: 'svc.example.com', socket: '/run/api.sock' };
  assert.deepEqual(certificates({ certificates: [own] }, control), { 'svc.example.com': pair });
});

/** An ingress that keeps what it is given. */
async function scene(t: TestContext) {
  const store = await aStore();
  t.after(() => store.close());
  const installed = new Map<string, CertificatePair>();
  const log = recordingLog();
  const ingress = {
    hasCertificate: (id: string) => installed.has(id),
    installCertificate: (id: string, given: CertificatePair) =>
      Promise.resolve(void installed.set(id, given)),
  };
  const empty = { hosts: {}, services: {}, upstreams: {}, bridges: {}, control: null };
  const install = async () =>
    (
      await installPairs({ ...empty, certificates: { [hostname]: pair } }, [issued], {
        ingress,
        vault: store.vault,
        log,
      })
    ).certificates;
  return { store, installed, log, install };
}

it('a certificate is where the workers read it before they hear of it', async (t) => {
  const { store, installed, install } = await scene(t);
  const sealed = { kind: 'certificate-key', owner: issued.id, name: '', project: '', value: 'KEY' } as const;
  await store.write((writer) => writer.seal(sealed));
  assert.deepEqual(await install(), { [hostname]: pair });
  assert.deepEqual(installed.get(pair), { chain: 'PEM', key: 'KEY' });
});

it('one whose key is lost is left out, and the routes go on', async (t) => {
  const { install, installed, log } = await scene(t);
  assert.deepEqual(await install(), {});
  assert.equal(installed.size, 0);
  assert.deepEqual(
    log.lines.map(({ level }) => level),
    ['error'],
  );
});
