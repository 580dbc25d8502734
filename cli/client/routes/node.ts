/** The node itself: how it is, its key, and who wrote what on it. */
import type { AuditEntry } from '../../../specs/audit.ts';
import type { Event } from '../../../specs/event.ts';
import type { GarbageReport } from '../../../specs/gc.ts';
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

export interface EventQuery {
  /** Of the object: `Project`, `Replica`, …, and its id. */
  kind?: string | undefined;
  id?: string | undefined;
  service_id?: string | undefined;
  /** Id or name. */
  project?: string | undefined;
}

export function nodeRoutes(http: Transport) {
  return {
    node: () => http.json<NodeResource>('GET', '/v1/node'),
    rotateKey: () => http.json<RotatedKey>('POST', '/v1/node/rotate-key', { json: {}, keyless: true }),
    collectGarbage: (dryRun: boolean) =>
      http.json<GarbageReport>('POST', '/v1/gc', {
        json: { dry_run: dryRun },
        keyless: true,
        answerTimeout: 180_000,
      }),
    /** Newest first, by when each was seen first. @param most how many at most */
    events: (query: EventQuery, most: number) => items<Event>(http, '/v1/events', { ...query }, most),
    /** Newest first. @param most how many at most */
    audit: (query: AuditQuery, most: number) => items<AuditEntry>(http, '/v1/audit', { ...query }, most),
  };
}
