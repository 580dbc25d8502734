/** A run on demand, of what the job is at this moment. */
import { frozenRun } from '../../specs/frozen-run.ts';
import type { Row } from '../../specs/index.ts';
import { isOver, mostUnderWay, runAskedFor } from '../../specs/job.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { ApiContext } from '../context.ts';
import type { Reader } from '../store/store.ts';
import { livingJob, requireVersion } from './living.ts';

/**
 * Throws `conflict`: of a job that only deployments run, of one whose runs exclude each other while there is one, and where
 * its service has nothing to run it in; `rate_limited` while too many are under way. Runs that it replaces are asked to stop; it waits for their end.
 */
export function startRun(
  { store, newId }: ApiContext,
  jobId: string,
  ifVersion?: number,
): Promise<Row<'Run'>> {
  return store.write(async (writer) => {
    const job = await livingJob(writer, jobId);
    requireVersion(job, ifVersion);
    const { name, spec } = job;
    if (spec.release)
      throw new ProblemError(
        'conflict',
        `${name} is a release job: deployments of its service run it. Deploy.`,
      );
    const active = (await writer.list('Run', { owner: jobId })).filter(({ status }) => !isOver(status.phase));
    if (spec.concurrency === 'forbid' && active.length > 0)
      throw new ProblemError(
        'conflict',
        `A run of ${name} is under way, and its concurrency is forbid. Wait for it, or stop it with svc runs stop.`,
      );
    if (active.length >= mostUnderWay)
      throw new ProblemError(
        'rate_limited',
        `The job ${name} has ${mostUnderWay} runs under way, and takes no more. Wait for one, or stop it with svc runs stop.`,
        { retryAfter: 30 },
      );
    const frozen = frozenRun(job, await deploymentOf(job, writer), {
      trigger: 'request',
      scheduled_for: null,
    });
    if (!frozen)
      throw new ProblemError('conflict', `Nothing is deployed to the service of ${name} yet. Deploy first.`);
    if (spec.concurrency === 'replace')
      for (const { id } of active) await writer.updateSpec('Run', id, (run) => ({ ...run, stopped: true }));
    const id = newId('run');
    return writer.create('Run', { id, name: id, owner: jobId, spec: frozen, status: runAskedFor });
  });
}

async function deploymentOf({ spec }: Row<'Job'>, reader: Reader): Promise<Row<'Deployment'> | undefined> {
  const service = spec.service_id === null ? undefined : await reader.get('Service', spec.service_id);
  const promoted = service?.status.promoted ?? null;
  return promoted === null ? undefined : reader.get('Deployment', promoted);
}
