/** Project row → resource. */
import type { Row } from '../../specs/index.ts';
import type { ProjectResource } from '../../specs/resources.ts';
import { metaView } from './meta.ts';

export function projectView(row: Row<'Project'>): ProjectResource {
  return { ...metaView(row), name: row.name };
}
