/** Volume row → resource. */
import type { Row } from '../../specs/index.ts';
import type { VolumeResource } from '../../specs/resources.ts';
import { metaView } from './meta.ts';

export function volumeView(row: Row<'Volume'>): VolumeResource {
  const { project_id, service, volume } = row.spec;
  return { ...metaView(row), name: row.name, project_id, service, volume };
}
