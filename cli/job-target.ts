/** Which job a command is about: from its argument, its flags and the manifest in the working directory. */
import type { JobResource } from '../specs/job-resources.ts';
import type { Client } from './client.ts';
import { CliError, ExitCode, usageError } from './errors.ts';
import { resolveProject } from './target.ts';

export interface JobTarget {
  /** `NAME`, `PROJECT/NAME` or an id. */
  argument: string;
  /** Of `-p`. */
  project: string | undefined;
  cwd: string;
}

/** The names, without asking the node. Throws a usage error that says what is missing. */
export async function jobNames({
  argument,
  project,
  cwd,
}: JobTarget): Promise<{ project: string; name: string }> {
  if (!argument.includes('/')) return { project: await resolveProject(project, cwd), name: argument };
  const [owner = '', name = '', ...rest] = argument.split('/');
  if (owner === '' || name === '' || rest.length > 0)
    throw usageError(`"${argument}" is no job.`, 'Write NAME or PROJECT/NAME.');
  if (project !== undefined && project !== owner)
    throw usageError(`-p ${project} and ${argument} name two projects.`);
  return { project: owner, name };
}

/** The job, read from the node. Throws `not found`. */
export async function resolveJob(client: Client, target: JobTarget): Promise<JobResource> {
  if (target.argument.startsWith('job_')) return client.job(target.argument);
  const { project, name } = await jobNames(target);
  const [job] = await client.jobs({ project, name });
  if (job !== undefined) return job;
  throw new CliError(
    ExitCode.notFound,
    `There is no job "${name}" in project "${project}", or you may not see it.`,
    {
      next: `See: svc jobs list -p ${project}`,
    },
  );
}

/** The id of a run as commands print it: `run_…`, or `run/run_…`. */
export function runIdOf(argument: string): string {
  return argument.startsWith('run/') ? argument.slice('run/'.length) : argument;
}
