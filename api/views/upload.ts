/** Upload row → resource. */
import type { Row } from '../../specs/index.ts';
import type { UploadResource } from '../../specs/resources.ts';

export function uploadView({ id, spec, created_at }: Row<'Upload'>): UploadResource {
  return { upload_id: id, ...spec, created_at };
}
