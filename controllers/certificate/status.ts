/** Sums a pass up: whether there is a certificate, and how its renewal stands. Pure. */
import type { CertificateStatus } from '../../specs/certificate.ts';
import { setConditions, type Finding } from '../../specs/conditions.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import type { CertificateReason, Reason } from '../../specs/reasons.ts';
import type { Decision } from './plan.ts';

type CertificateFinding = Finding & { reason: Reason<typeof CertificateReason> };

export function summarize(
  row: Row<'Certificate'>,
  waiting: Decision['waiting'],
  now: number,
): Pick<CertificateStatus, 'conditions'> {
  const findings = row.status.chain === null ? [missing(waiting)] : [validity(row, now), renewal(waiting)];
  return { conditions: setConditions(row.status.conditions, findings, timestamp(now)) };
}

function missing(waiting: Decision['waiting']): CertificateFinding {
  const { reason, message } = waiting ?? { reason: 'Ordering', message: 'It is being asked for.' };
  return { type: 'Ready', status: 'False', reason, message };
}

function validity({ status }: Row<'Certificate'>, now: number): CertificateFinding {
  const over = Date.parse(status.not_after ?? '') <= now;
  return over
    ? { type: 'Ready', status: 'False', reason: 'Expired', message: 'Its time is over: clients refuse it.' }
    : { type: 'Ready', status: 'True', reason: 'Issued', message: 'The hostname is served with it.' };
}

/** What is wrong here costs nothing yet: what was issued goes on being served. */
function renewal(waiting: Decision['waiting']): CertificateFinding {
  if (waiting === undefined)
    return { type: 'Renewed', status: 'True', reason: 'UpToDate', message: 'No newer one is due.' };
  const status = waiting.reason === 'Ordering' ? 'Unknown' : 'False';
  return { type: 'Renewed', status, ...waiting };
}
