/** How a run gets its image: the one that its deployment runs, which the engine has, or one by its reference. */
import type { Row } from '../../specs/index.ts';
import type { RunLogEntry } from '../../specs/log-entry.ts';
import type { Clock } from '../../specs/clock.ts';
import { timestamp } from '../../specs/meta.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import { jobImageTag } from '../engine/names.ts';
import { obtainImage, type PullDeps } from '../pull/pulls.ts';
import type { ObtainImage } from './images.ts';

export interface ObtainDeps extends Omit<PullDeps, 'engine'> {
  engine: PullDeps['engine'] & Pick<Engine, 'findImage'>;
  clock: Clock;
  /** Throws while a disk of the node is below its floor. */
  requireRoom: () => Promise<void>;
  log: (runId: string, entry: RunLogEntry) => void;
}

export function obtainFrom(deps: ObtainDeps): ObtainImage {
  return (run, signal) =>
    run.spec.deployment_id === null ? pulled(run, signal, deps) : ofDeployment(run, deps);
}

async function ofDeployment({ spec }: Row<'Run'>, { engine }: ObtainDeps): Promise<string> {
  const found = await engine.findImage(spec.image);
  if (found !== undefined) return found;
  throw new EngineError('not_found', 'The engine no longer has the image of its deployment: deploy again.');
}

/** Progress goes into the log as what the run does, not as what it prints. */
async function pulled(run: Row<'Run'>, signal: AbortSignal, deps: ObtainDeps): Promise<string> {
  const { id, spec } = run;
  const onLine = (message: string): void => {
    const at = timestamp(deps.clock.now());
    deps.log(id, { event: 'status', at, status: 'Pending', reason: 'PullingImage', message });
  };
  const { image } = await obtainImage(
    {
      ...{ reference: spec.image, digest: null, projectId: spec.project_id, tag: jobImageTag(spec.job_id) },
      ...{ onDigest: () => Promise.resolve(), onLine, signal, mayPull: deps.requireRoom },
    },
    deps,
  );
  return image;
}
