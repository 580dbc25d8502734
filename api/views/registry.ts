/** Registry row → resource: everything but the password. */
import type { Row } from '../../specs/index.ts';
import type { RegistryResource } from '../../specs/resources.ts';

export function registryView(row: Row<'Registry'>, project: Row<'Project'>): RegistryResource {
  const { server, username } = row.spec;
  const { id, created_at, updated_at } = row;
  return { id, project_id: project.id, server, username, created_at, updated_at };
}
