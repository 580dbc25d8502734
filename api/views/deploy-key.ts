/** DeployKey row → resource: the public half. */
import type { Row } from '../../specs/index.ts';
import type { DeployKeyResource } from '../../specs/resources.ts';

export function deployKeyView(row: Row<'DeployKey'>, project: Row<'Project'>): DeployKeyResource {
  const { type, bits, public_key, fingerprint } = row.spec;
  const { id, created_at, updated_at } = row;
  return { id, project_id: project.id, type, bits, public_key, fingerprint, created_at, updated_at };
}
