import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Observed } from '../../../controllers/certificate-set/observe.ts';
import { plan, type CertificateSettings } from '../../../controllers/certificate-set/plan.ts';
import { aCertificate, aDomain, anId, aProject, aService } from '../../support/store.ts';

const deleted_at = '2030-01-01T00:00:00.000Z';
const settings: CertificateSettings = { appsDomain: null, controlDomain: null, enabled: true };
const secure = aService({ spec: { tls_enabled: true } });

function planned(seen: Partial<Observed> = {}, changes: Partial<CertificateSettings> = {}): string[] {
  const observed = {
    projects: [aProject()],
    services: [secure],
    domains: [aDomain()],
    certificates: [],
    ...seen,
  };
  return plan(observed, { ...settings, ...changes }).map((step) =>
    step.do === 'create' ? `create ${step.wish.owner} ${step.wish.spec.hostname}` : `remove ${step.id}`,
  );
}

const wanted = `create ${anId('domain')} shop.example.com`;
const unwanted = `remove ${anId('certificate')}`;

describe('the certificates that there should be', () => {
  it('are one for each domain of a service with TLS, verified or not', () => {
    assert.deepEqual(planned(), [wanted]);
    assert.deepEqual(planned({ certificates: [aCertificate()] }), []);
  });

  it('are there on a node that asks for none too: each says why it is empty', () => {
    assert.deepEqual(planned({}, { enabled: false }), [wanted]);
  });

  it('go with the TLS of the service, its domain, the service and its project', () => {
    const certificates = [aCertificate()];
    assert.deepEqual(planned({ certificates, services: [aService()] }), [unwanted]);
    assert.deepEqual(planned({ certificates, domains: [] }), [unwanted]);
    assert.deepEqual(planned({ certificates, domains: [aDomain({ deleted_at })] }), [unwanted]);
    assert.deepEqual(planned({ certificates, services: [{ ...secure, deleted_at }] }), [unwanted]);
    assert.deepEqual(planned({ certificates, projects: [aProject({ deleted_at })] }), [unwanted]);
  });

  it('are made anew while the last one is only being removed', () => {
    assert.deepEqual(planned({ certificates: [aCertificate({ deleted_at })] }), [wanted]);
  });

  it('include the hostname below the apps domain, where the world can look it up', () => {
    const own = `create ${anId('service')} web.shop.apps.example.com`;
    assert.deepEqual(planned({}, { appsDomain: 'apps.example.com' }), [wanted, own]);
    for (const appsDomain of ['localhost', 'box.local', 'corp.internal', 'a.home.arpa', 'apps'])
      assert.deepEqual(planned({}, { appsDomain }), [wanted]);
  });

  it('include the control domain, if certificates are asked for', () => {
    const controlDomain = 'svc.example.com';
    assert.deepEqual(planned({ services: [] }, { controlDomain }), ['create null svc.example.com']);
    assert.deepEqual(planned({ services: [] }, { controlDomain, enabled: false }), []);
  });
});
