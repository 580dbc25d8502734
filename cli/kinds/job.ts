/** Jobs, as `svc get` and `svc describe` show them. */
import type { JobResource } from '../../specs/job-resources.ts';
import type { Client } from '../client.ts';
import { age } from '../output/age.ts';
import { table } from '../output/table.ts';
import type { Deletion, Kind, Section } from './kind.ts';
import { runColumns } from './run.ts';
import { conditionsSection, facts, moment } from './sections.ts';

export const jobKind: Kind<JobResource> = {
  singular: 'job',
  plural: 'jobs',
  aliases: [],
  ofService: false,
  columns: (now) => [
    { header: 'PROJECT', cell: ({ project }) => project },
    { header: 'NAME', cell: ({ name }) => name },
    { header: 'SCHEDULE', cell: scheduleOf },
    { header: 'NEXT', cell: ({ next_run_at: at }) => (at === null ? '' : `in ${until(at, now)}`) },
    { header: 'LAST RUN', cell: ({ last_run: last }) => lastOf(last, now) },
    { header: 'AGE', cell: ({ created_at: at }) => age(at, now) },
    { header: 'RUNS IN', cell: ({ image, service_id: service }) => image ?? service ?? '', wide: true },
    { header: 'ID', cell: ({ id }) => id, wide: true },
  ],
  name: ({ project, name }) => `${project}/${name}`,
  async list(client, { project, name }) {
    if (name?.startsWith('job_') === true) return [await client.job(name)];
    return client.jobs({ project, name });
  },
  describe: describeJob,
  deletion: jobDeletion,
};

function jobDeletion(client: Client, { id, name, project }: JobResource): Deletion {
  return {
    name,
    warning: () =>
      `This deletes job ${project}/${name} with its runs and their logs; one that is under way is stopped.`,
    begin: () => client.deleteJob(id),
    look: (signal) => client.job(id, signal),
  };
}

function scheduleOf({ schedule, timezone, release, suspended }: JobResource): string {
  if (release) return 'before every release';
  if (schedule === null) return 'on demand';
  return `${schedule}${timezone === 'UTC' ? '' : ` ${timezone}`}${suspended ? ' (suspended)' : ''}`;
}

function lastOf(last: JobResource['last_run'], now: number): string {
  return last === null ? 'never' : `${last.status} ${age(last.created_at, now)} ago`;
}

/** How long until a time that is to come. */
function until(at: string, now: number): string {
  return age(new Date(now).toISOString(), Date.parse(at));
}

/** By its name, which tells more than its id; the id where it cannot be read, as when it was deleted meanwhile. */
async function ofService(client: Client, { service_id: id, project }: JobResource): Promise<string> {
  const found = (await client.services({ project })).find((service) => service.id === id);
  return `what service ${found === undefined ? (id ?? '') : `${project}/${found.name}`} runs`;
}

async function describeJob(client: Client, job: JobResource, now: number): Promise<Section[]> {
  const runs = await client.runs(job.id);
  const { resources, keep, next_run_at: next } = job;
  return [
    facts({
      Name: job.name,
      Project: job.project,
      Id: job.id,
      Created: moment(job.created_at, now),
      'Runs in': job.image ?? (await ofService(client, job)),
      Command: job.command.length === 0 ? "the image's own" : job.command.join(' '),
      Schedule: `${scheduleOf(job)}${job.schedule === null ? '' : `, concurrency ${job.concurrency}`}`,
      'Next run': next === null ? 'none' : `${next} (in ${until(next, now)})`,
      'Last time': job.scheduled_at === null ? 'none' : moment(job.scheduled_at, now),
      ...(job.schedule === null
        ? {}
        : {
            'Missed times': `the last one is made up for, unless it is older than ${job.starting_deadline}; the others are skipped`,
          }),
      Limits: `deadline ${job.deadline}, ${job.retries} retries`,
      Resources: `${resources.cpus} cpus, ${resources.memory} memory, ${resources.pids} processes`,
      Keeps: `${keep.succeeded} runs that succeeded, ${keep.failed} that did not`,
      Environment:
        Object.entries(job.env)
          .map(([key, value]) => `${key}=${value}`)
          .join('\n') || 'none',
    }),
    conditionsSection(job.conditions, now),
    { title: 'Runs', lines: runs.length === 0 ? ['none'] : table(runColumns(now), runs.slice(0, 10)) },
  ];
}
