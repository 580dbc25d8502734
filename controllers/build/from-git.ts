/** Builds a deployment from its Git source: cloned, archived, and handed to the engine as an upload would be. */
import type { GitSource } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import type { Clones } from '../git/clone.ts';
import type { Jobs } from '../runtime/jobs.ts';
import { buildGroup } from './groups.ts';
import { buildImage, type ImageBuildDeps } from './image-build.ts';
import { repositoryContext } from './repository-context.ts';

export interface FromGitDeps extends ImageBuildDeps {
  jobs: Pick<Jobs<string>, 'turn'>;
  clones: Pick<Clones, 'clone'>;
  /** Writes down which commit a deployment is, before anything is built of it: tried again, it is the same one. */
  recordCommit: (row: Row<'Deployment'>, commit: string) => Promise<void>;
}

export async function fromGit(
  row: Row<'Deployment'>,
  source: GitSource,
  signal: AbortSignal,
  deps: FromGitDeps,
): Promise<string> {
  const checkout = await deps.clones.clone({
    ...{ id: row.id, projectId: row.spec.project_id, source, signal },
    commit: row.status.commit,
    onCommit: (commit) => deps.recordCommit(row, commit),
    onLine: logger(row, deps),
  });
  try {
    const paths = { dockerfilePath: source.dockerfile_path, contextPath: source.context_path };
    const context = await repositoryContext(checkout, paths);
    // Clones run beside builds, and a host that stalls holds up no build but its own.
    return await deps.jobs.turn(buildGroup, (running) => buildImage(row, context, running, deps), signal);
  } finally {
    await checkout.remove();
  }
}

/** One mask for all lines of a clone: a value may be split over them. */
function logger(row: Row<'Deployment'>, { log, masks, clock }: FromGitDeps): (line: string) => void {
  const mask = masks.lines(row.spec.project_id);
  return (text) => {
    const line = mask('git', text);
    log(row.id, { event: 'log', at: timestamp(clock.now()), phase: 'build', stream: 'stdout', line });
  };
}
