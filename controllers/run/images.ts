/**
 * The images of runs: long where one has to be pulled, so a job each; the passes of a run start, find and follow it. Gone
 * from memory after a restart, and then started anew.
 */
import type { Row } from '../../specs/index.ts';
import { EngineError } from '../engine/engine.ts';
import type { Job, Jobs } from '../runtime/jobs.ts';

export type ImageState =
  | { state: 'pulling' }
  /** Content id. */
  | { state: 'there'; image: string }
  /** `transient`: not the image's own fault; trying again makes sense. */
  | { state: 'failed'; message: string; transient: boolean };

export interface RunImages {
  find(runId: string): ImageState | undefined;
  /** Does nothing when it is under way. */
  start(row: Row<'Run'>): void;
  forget(runId: string): void;
}

/** @returns the content id of what the run's image refers to, once the engine has it. Rejects with an EngineError. */
export type ObtainImage = (row: Row<'Run'>, signal: AbortSignal) => Promise<string>;

export function createRunImages(jobs: Jobs<string>, obtain: ObtainImage): RunImages {
  return {
    find(runId) {
      const job = jobs.find(runId);
      return job && stateOf(job);
    },
    start: (row) => void jobs.ensure(row.id, (signal) => obtain(row, signal), { group: 'image' }),
    forget: (runId) => jobs.forget(runId),
  };
}

function stateOf(job: Job<string>): ImageState {
  if (job.state === 'done') return { state: 'there', image: job.result };
  if (job.state !== 'failed') return { state: 'pulling' };
  const { error } = job;
  const transient = error instanceof EngineError && error.code === 'unavailable';
  return { state: 'failed', message: error instanceof Error ? error.message : String(error), transient };
}
