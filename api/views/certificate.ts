/** How the certificate of a hostname stands, as its domain shows it. */
import type { Row } from '../../specs/index.ts';
import type { CertificateState } from '../../specs/resources.ts';
import type { Reader } from '../store/store.ts';

/** The living certificate of a domain, or of a service for its hostname below the apps domain. */
export async function certificateOf(reader: Reader, owner: string): Promise<Row<'Certificate'> | undefined> {
  const rows = await reader.list('Certificate', { owner });
  return rows.find(({ deleted_at: deleted }) => deleted === null);
}

const soon = 'It is about to be asked for.';

export function certificateView({ status }: Row<'Certificate'>): CertificateState {
  const { not_after, renew_at, retry_at, last_error } = status;
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  const renewed = status.conditions.find(({ type }) => type === 'Renewed');
  return {
    status: stateOf(ready?.reason),
    message: (renewed?.status === 'True' ? undefined : renewed?.message) ?? ready?.message ?? soon,
    ...{ not_after, renew_at, retry_at, last_error },
  };
}

/** Whether clients find a hostname with it. */
export function isServed(row: Row<'Certificate'> | undefined): boolean {
  return row?.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

function stateOf(reason: string | undefined): CertificateState['status'] {
  switch (reason) {
    case 'Issued':
      return 'Issued';
    case 'Expired':
      return 'Expired';
    case 'OrderFailed':
    case 'RateLimited':
      return 'Failed';
    default:
      return 'Pending';
  }
}
