/**
 * The release jobs of a deployment (migrations): one after the other, by their names, once it has its image and before its
 * first replica. Pure.
 *
 * Once per deployment that brought an image of its own. One that only changes the configuration runs the code that was
 * released before, and a rollback or a restart runs what was promoted before: neither runs them again.
 */
import type { Row } from '../../specs/index.ts';
import { isOver } from '../../specs/job.ts';
import type { Decision } from './decision.ts';
import type { ReleaseJob } from './observe.ts';
import type { Step } from './steps.ts';

/**
 * What they still ask for; undefined when nothing keeps the deployment from its gate.
 * @param hasReplicas whether they were done with before: replicas come after them
 */
export function releaseJobs(
  { spec, status }: Row<'Deployment'>,
  jobs: readonly ReleaseJob[],
  hasReplicas: boolean,
): Decision | undefined {
  if (hasReplicas || spec.reuse !== null || status.promoted_at !== null || status.image === null)
    return undefined;
  const due = jobs
    .toSorted((a, b) => (a.job.name < b.job.name ? -1 : 1))
    .find(({ run }) => run?.status.phase !== 'Succeeded');
  if (!due) return undefined;
  const { name, id } = due.job;
  if (due.run && isOver(due.run.status.phase)) return failed(name, due.run, due.output);
  const steps: Step[] = due.run ? [] : [{ do: 'runReleaseJob', job: id }];
  const message = `Waiting for the release job ${name} to succeed.`;
  return { steps, phase: 'Starting', reason: 'RunningReleaseJob', message };
}

/** For a deployment that is not wanted any more. */
export function stopReleaseJobs(jobs: readonly ReleaseJob[]): Step[] {
  return jobs.flatMap(({ run }) =>
    run && !isOver(run.status.phase) && !run.spec.stopped
      ? [{ do: 'stopReleaseJob', run: run.id } as const]
      : [],
  );
}

function failed(name: string, { status }: Row<'Run'>, output: readonly string[]): Decision {
  const quoted =
    output.length === 0
      ? ' It printed nothing.'
      : ` Its last lines:\n${output.map((line) => `  ${line}`).join('\n')}`;
  const message = `The release job ${name} did not succeed (${status.phase}). ${status.message}${quoted}`;
  return { steps: [], phase: 'Failed', reason: 'ReleaseJobFailed', message };
}
