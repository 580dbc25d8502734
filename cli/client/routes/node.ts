/** The node itself: how it is, its key, and who wrote what on it. */
import type { AuditEntry } from '../../../specs/audit.ts';
import type { NodeResource, RotatedKey } from '../../../specs/resources.ts';
import type { Transport } from '../http.ts';
import { items } from '../pages.ts';

export interface AuditQuery {
  /** Id or name. */
  user?: string | undefined;
  project?: string | undefined;
  /** RFC 3339 times. */
  since?: string | undefined;
  until?: string | undefined;
  result?: 'refused' | undefined;
}

export function nodeRoutes(http: Transport) {
  return {
    node: () => http.json<NodeResource>('GET', '/v1/node'),
    rotateKey: () => http.json<RotatedKey>('POST', '/v1/node/rotate-key', { json: {}, keyless: true }),
    /** Newest first. @param most how many at most */
    audit: (query: AuditQuery, most: number) => items<AuditEntry>(http, '/v1/audit', { ...query }, most),
  };
}
