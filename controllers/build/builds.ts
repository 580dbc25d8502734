/**
 * Builds of deployments: the staged upload becomes an image at the engine, its output goes line by line into the
 * deployment's log. Long, so a job each; the deployment's passes start, find and follow it.
 */
import type { Clock } from '../../specs/clock.ts';
import type { Row } from '../../specs/index.ts';
import type { DeploymentLogEntry } from '../../specs/log-entry.ts';
import type { Masks } from '../../specs/mask.ts';
import { timestamp } from '../../specs/meta.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { DeploymentReason } from '../../specs/reasons.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import { imageTag } from '../engine/names.ts';
import { CancelledError, type Job, type Jobs } from '../runtime/jobs.ts';
import type { ContextPaths } from './context.ts';

type FailureReason = (typeof DeploymentReason)[
  'BuildFailed' | 'BuildTimedOut' | 'UploadGone' | 'EngineUnavailable'];

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

export interface BuildsDeps {
  jobs: Jobs<string>;
  engine: Pick<Engine, 'build'>;
  /** Re-reads a staged upload as the canonical tar that the engine gets. Throws ProblemError when it is gone or lacks a path. */
  context: (
    uploadId: string,
    paths: ContextPaths,
    time: number,
  ) => Promise<{ stream: NodeJS.ReadableStream; dockerfile: string }>;
  log: (deploymentId: string, entry: DeploymentLogEntry) => void;
  /** Hide the project's secrets in what a build prints. */
  masks: Masks;
  clock: Clock;
  nodeId: string;
  limits: { memoryBytes: number; cpus: number };
}

const group = 'build';

export function createBuilds(deps: BuildsDeps): Builds {
  const { jobs } = deps;
  return {
    find: (deploymentId) => {
      const job = jobs.find(deploymentId);
      return job && stateOf(job);
    },
    start: (row) => {
      jobs.ensure(row.id, (signal) => build(row, signal, deps), { group });
    },
    forget: (deploymentId) => jobs.forget(deploymentId),
  };
}

async function build(row: Row<'Deployment'>, signal: AbortSignal, deps: BuildsDeps): Promise<string> {
  const {
    upload_id: uploadId,
    dockerfile_path: dockerfilePath,
    context_path: contextPath,
  } = row.spec.source.upload;
  const time = Math.floor(Date.parse(row.created_at) / 1_000);
  const { stream, dockerfile } = await deps.context(uploadId, { dockerfilePath, contextPath }, time);
  const { masks, clock } = deps;
  const project = row.spec.project_id;
  return deps.engine.build({
    context: stream,
    dockerfile,
    tag: imageTag(row),
    labels: { 'svc.node': deps.nodeId, 'svc.deployment': row.id },
    limits: deps.limits,
    signal,
    mask: () => masks.lines(project),
    onLine: ({ stream: from, line: text }) => {
      // Steps are named after their instructions, which may hold a value as well.
      const line = masks.text(project, text);
      deps.log(row.id, { event: 'log', at: timestamp(clock.now()), phase: 'build', stream: from, line });
    },
  });
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
  if (error instanceof ProblemError && error.code === 'not_found')
    return { reason: 'UploadGone', message, transient: false };
  if (error instanceof Error && error.name === 'DeadlineError')
    return { reason: 'BuildTimedOut', message, transient: false };
  return { reason: 'BuildFailed', message, transient: false };
}
