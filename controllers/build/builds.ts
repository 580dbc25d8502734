/**
 * Builds of deployments: each comes to its image by its source. Long, so a job each; the deployment's passes start, find and
 * follow it.
 */
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { DeploymentReason } from '../../specs/reasons.ts';
import { EngineError } from '../engine/engine.ts';
import { GitError } from '../git/failure.ts';
import { PullError, type PullReason } from '../pull/failure.ts';
import { CancelledError, type Job, type Jobs } from '../runtime/jobs.ts';
import { fromGit, type FromGitDeps } from './from-git.ts';
import { fromImage, type FromImageDeps } from './from-image.ts';
import { fromUpload, type FromUploadDeps } from './from-upload.ts';
import { buildGroup, cloneGroup, pullGroup } from './groups.ts';

type FailureReason =
  | (typeof DeploymentReason)['BuildFailed' | 'BuildTimedOut' | 'UploadGone' | 'EngineUnavailable']
  | GitError['reason']
  | PullReason;

export type BuildState =
  | { state: 'queued' }
  | { state: 'running' }
  | { state: 'done'; image: string }
  /** `transient`: not the build's own fault; starting it again makes sense. */
  | { state: 'failed'; reason: FailureReason; message: string; transient: boolean };

/** At most one build per deployment. A build that settles wakes its deployment. */
export interface Builds {
  find(deploymentId: string): BuildState | undefined;
  /** Does nothing when there is one already. */
  start(row: Row<'Deployment'>): void;
  /** Aborts it at the engine, if it runs, and drops it with its result. */
  forget(deploymentId: string): void;
}

export interface BuildsDeps
  extends
    Omit<FromUploadDeps, 'engine'>,
    Omit<FromGitDeps, 'jobs' | 'engine'>,
    Omit<FromImageDeps, 'engine'> {
  engine: FromUploadDeps['engine'] & FromImageDeps['engine'];
  jobs: Jobs<string>;
}

export function createBuilds(deps: BuildsDeps): Builds {
  const { jobs } = deps;
  return {
    find: (deploymentId) => {
      const job = jobs.find(deploymentId);
      return job && stateOf(job);
    },
    start: (row) => {
      const { group, run } = workOf(row, deps);
      jobs.ensure(row.id, run, { group });
    },
    forget: (deploymentId) => jobs.forget(deploymentId),
  };
}

interface Work {
  group: string;
  /** @returns the image's id */
  run: (signal: AbortSignal) => Promise<string>;
}

function workOf(row: Row<'Deployment'>, deps: BuildsDeps): Work {
  const { source } = row.spec;
  if ('upload' in source)
    return { group: buildGroup, run: (signal) => fromUpload(row, source.upload, signal, deps) };
  if ('git' in source) return { group: cloneGroup, run: (signal) => fromGit(row, source.git, signal, deps) };
  return { group: pullGroup, run: (signal) => fromImage(row, source.image, signal, deps) };
}

function stateOf(job: Job<string>): BuildState {
  switch (job.state) {
    case 'queued':
    case 'running':
      return { state: job.state };
    case 'done':
      return { state: 'done', image: job.result };
    case 'failed':
      return { state: 'failed', ...failure(job.error) };
  }
}

function failure(error: unknown): { reason: FailureReason; message: string; transient: boolean } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CancelledError) return { reason: 'EngineUnavailable', message, transient: true };
  if (error instanceof EngineError && error.code !== 'refused') {
    return { reason: 'EngineUnavailable', message, transient: error.code === 'unavailable' };
  }
  if (error instanceof PullError) return { reason: error.reason, message, transient: false };
  if (error instanceof GitError) return { reason: error.reason, message, transient: false };
  if (error instanceof ProblemError && error.code === 'not_found')
    return { reason: 'UploadGone', message, transient: false };
  if (error instanceof Error && error.name === 'DeadlineError')
    return { reason: 'BuildTimedOut', message, transient: false };
  return { reason: 'BuildFailed', message, transient: false };
}
