/** An external image becomes a deployment's: pulled, or found at the engine, and kept under the deployment's own tag. */
import type { Clock } from '../../specs/clock.ts';
import type { Row } from '../../specs/index.ts';
import type { DeploymentLogEntry } from '../../specs/log-entry.ts';
import type { Masks } from '../../specs/mask.ts';
import { timestamp } from '../../specs/meta.ts';
import { imageTag } from '../engine/names.ts';
import { obtainImage, type PullDeps } from '../pull/pulls.ts';

export interface FromImageDeps extends PullDeps {
  log: (deploymentId: string, entry: DeploymentLogEntry) => void;
  /** Hide the project's secrets in what registries and the engine say. */
  masks: Masks;
  clock: Clock;
  /** Writes down which digest a deployment is, before it is pulled. */
  recordDigest: (row: Row<'Deployment'>, digest: string) => Promise<void>;
}

/** @returns the image's id. Throws PullError and EngineError */
export async function fromImage(
  row: Row<'Deployment'>,
  reference: string,
  signal: AbortSignal,
  deps: FromImageDeps,
): Promise<string> {
  const { masks, clock, log } = deps;
  const project = row.spec.project_id;
  const { image } = await obtainImage(
    {
      ...{ reference, signal, projectId: project, tag: imageTag(row), digest: row.status.digest },
      onDigest: (digest) => deps.recordDigest(row, digest),
      onLine: (text) => {
        const line = masks.text(project, text);
        log(row.id, { event: 'log', at: timestamp(clock.now()), phase: 'build', stream: 'stdout', line });
      },
    },
    deps,
  );
  return image;
}
