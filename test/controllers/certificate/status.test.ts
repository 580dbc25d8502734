import assert from 'node:assert/strict';
import { it } from 'node:test';
import { summarize } from '../../../controllers/certificate/status.ts';
import type { Decision } from '../../../controllers/certificate/plan.ts';
import type { CertificateStatus } from '../../../specs/certificate.ts';
import { aCertificate } from '../../support/store.ts';

const now = Date.UTC(2030, 0, 1);
const valid = { chain: 'PEM', not_after: new Date(now + 1).toISOString() };
const over = { chain: 'PEM', not_after: new Date(now).toISOString() };
const failed = { reason: 'OrderFailed', message: 'No.' } as const;
const ordering = { reason: 'Ordering', message: 'It is being asked for.' } as const;

const cases: [string, Partial<CertificateStatus>, Decision['waiting'], string[]][] = [
  ['asked for', {}, ordering, ['Ready False Ordering']],
  ['refused', {}, failed, ['Ready False OrderFailed']],
  ['there', valid, undefined, ['Ready True Issued', 'Renewed True UpToDate']],
  ['being renewed', valid, ordering, ['Ready True Issued', 'Renewed Unknown Ordering']],
  ['not renewed', valid, failed, ['Ready True Issued', 'Renewed False OrderFailed']],
  ['not renewed in time', over, failed, ['Ready False Expired', 'Renewed False OrderFailed']],
];

for (const [what, status, waiting, expected] of cases) {
  it(`says of a certificate that is ${what}: ${expected.join(', ')}`, () => {
    const { conditions } = summarize(aCertificate({ status }), waiting, now);
    assert.deepEqual(
      conditions.map(({ type, status: value, reason }) => `${type} ${value} ${reason}`),
      expected,
    );
  });
}
