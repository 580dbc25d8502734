/** Builds a deployment from its staged upload: read again as the canonical tar that the engine gets. */
import type { UploadSource } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import type { ContextPaths } from './context.ts';
import { buildImage, type BuildContext, type ImageBuildDeps } from './image-build.ts';

export interface FromUploadDeps extends ImageBuildDeps {
  /** Throws ProblemError when the upload is gone or lacks a path. */
  context: (uploadId: string, paths: ContextPaths, time: number) => Promise<BuildContext>;
}

export async function fromUpload(
  row: Row<'Deployment'>,
  { upload_id: uploadId, dockerfile_path: dockerfilePath, context_path: contextPath }: UploadSource,
  signal: AbortSignal,
  deps: FromUploadDeps,
): Promise<string> {
  const time = Math.floor(Date.parse(row.created_at) / 1_000);
  const context = await deps.context(uploadId, { dockerfilePath, contextPath }, time);
  return buildImage(row, context, signal, deps);
}
