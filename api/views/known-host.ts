/** Known host row → resource. */
import type { Row } from '../../specs/index.ts';
import type { KnownHostResource } from '../../specs/resources.ts';

export function knownHostView(row: Row<'KnownHost'>, project: Row<'Project'>): KnownHostResource {
  const { id, created_at, updated_at } = row;
  const { host, lines, fingerprints } = row.spec;
  return { id, project_id: project.id, host, keys: lines, fingerprints, created_at, updated_at };
}
