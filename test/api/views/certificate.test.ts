/** What a domain shows of its certificate, and the URLs that follow from it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DomainResource, ServiceResource } from '../../../specs/resources.ts';
import type { CertificateStatus } from '../../../specs/certificate.ts';
import { testApi } from '../../support/api.ts';
import { aCertificate, aDomain, anId, aProject, aService, given } from '../../support/store.ts';

const at = '2030-01-01T00:00:00.000Z';
const said = (type: string, status: 'True' | 'False' | 'Unknown', reason: string, message = reason) => ({
  ...{ type, status, reason, message, last_transition_at: at },
});
const issued = { chain: 'PEM', key_version: 1, not_after: '2030-04-01T00:00:00.000Z' };
const ready = said('Ready', 'True', 'Issued');

const cases: [string, Partial<CertificateStatus>, string, string, 'http' | 'https'][] = [
  ['nothing yet', {}, 'Pending', 'It is about to be asked for.', 'http'],
  [
    'a wait',
    { conditions: [said('Ready', 'False', 'DomainNotVerified', 'Later.')] },
    'Pending',
    'Later.',
    'http',
  ],
  ['a failure', { conditions: [said('Ready', 'False', 'OrderFailed', 'No.')] }, 'Failed', 'No.', 'http'],
  [
    'a certificate',
    { ...issued, conditions: [ready, said('Renewed', 'True', 'UpToDate')] },
    'Issued',
    'Issued',
    'https',
  ],
  [
    'a renewal that failed',
    { ...issued, conditions: [ready, said('Renewed', 'False', 'OrderFailed', 'No.')] },
    'Issued',
    'No.',
    'https',
  ],
  [
    'one that is over',
    { ...issued, conditions: [said('Ready', 'False', 'Expired', 'Over.')] },
    'Expired',
    'Over.',
    'http',
  ],
];

for (const [what, status, state, message, scheme] of cases) {
  test(`of ${what}: ${state}, ${scheme}`, async (t) => {
    const { call, store } = await testApi(t);
    const rows = [
      aProject(),
      aService(),
      aDomain({ status: { phase: 'Verified' } }),
      aCertificate({ status }),
    ];
    await given(store, ...rows);
    const service = `/v1/services/${anId('service')}`;
    const { certificate } = (
      await call('GET', `${service}/domains/${anId('domain')}`)
    ).json<DomainResource>();
    assert.deepEqual([certificate?.status, certificate?.message], [state, message]);
    assert.ok(!JSON.stringify(certificate).includes('PEM'));
    const { urls } = (await call('GET', service)).json<ServiceResource>();
    assert.match(urls[0] ?? '', new RegExp(`^${scheme}://shop\\.example\\.com`));
  });
}
