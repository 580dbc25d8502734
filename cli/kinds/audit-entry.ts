/** Entries of the audit, as they are listed. */
import type { AuditEntry } from '../../specs/audit.ts';
import type { Listing } from './kind.ts';

export const auditListing: Listing<AuditEntry> = {
  singular: 'entry',
  plural: 'entries',
  columns: () => [
    { header: 'AT', cell: ({ at }) => at },
    { header: 'WHO', cell: who },
    { header: 'FROM', cell: ({ address }) => address },
    { header: 'WHAT', cell: ({ method, route }) => `${method} ${route}` },
    { header: 'OBJECT', cell: ({ object, object_name: name }) => name ?? object ?? '' },
    { header: 'FIELDS', cell: ({ fields }) => fields.join(',') },
    { header: 'RESULT', cell: result },
    { header: 'ID', cell: ({ object }) => object ?? '', wide: true },
    { header: 'DETAIL', cell: ({ detail }) => detail ?? '', wide: true },
    { header: 'TOKEN', cell: ({ token_id: id, token_kind: kind }) => id ?? kind ?? '', wide: true },
    { header: 'REQUEST', cell: ({ request_id: id }) => id, wide: true },
  ],
  name: ({ id }) => id,
};

/** The bootstrap token is nobody's; without a valid token nobody knows who it was. */
function who({ username, user_id: id, token_kind: kind }: AuditEntry): string {
  return username ?? id ?? (kind === 'bootstrap' ? 'bootstrap' : 'unknown');
}

function result({ status, code, count }: AuditEntry): string {
  const times = count > 1 ? ` (${count} times)` : '';
  return `${status}${code === null ? '' : ` ${code}`}${times}`;
}
