/** Runs of jobs, as `svc get` and `svc describe` show them. */
import type { RunResource } from '../../specs/job-resources.ts';
import type { Client } from '../client.ts';
import { age, elapsed } from '../output/age.ts';
import type { Column } from '../output/table.ts';
import type { Kind, Section } from './kind.ts';
import { conditionsSection, facts, moment } from './sections.ts';

export const runKind: Kind<RunResource> = {
  singular: 'run',
  plural: 'runs',
  aliases: [],
  ofService: false,
  columns: (now) => [
    { header: 'PROJECT', cell: ({ project }) => project },
    { header: 'JOB', cell: ({ job }) => job },
    ...runColumns(now),
    { header: 'MESSAGE', cell: ({ message }) => message.split('\n')[0] ?? '', wide: true },
  ],
  name: ({ id }) => id,
  list: listRuns,
  describe: (_, run, now) => Promise.resolve(describeRun(run, now)),
};

export function runColumns(now: number): Column<RunResource>[] {
  return [
    { header: 'STATUS', cell: ({ status }) => status },
    { header: 'REASON', cell: ({ reason }) => reason },
    { header: 'EXIT CODE', cell: ({ exit_code: code }) => (code === null ? '' : String(code)) },
    { header: 'TRIES', cell: ({ tries }) => String(tries) },
    { header: 'TOOK', cell: (run) => tookOf(run, now) },
    { header: 'AGE', cell: ({ created_at: at }) => age(at, now) },
    { header: 'ID', cell: ({ id }) => id },
  ];
}

function tookOf({ started_at: from, finished_at: to }: RunResource, now: number): string {
  return from === null ? '' : elapsed(Math.max(0, (to === null ? now : Date.parse(to)) - Date.parse(from)));
}

/** By id; or all of a project, or all there are, newest first. */
async function listRuns(
  client: Client,
  { project, name }: { project?: string | undefined; name?: string | undefined },
) {
  if (name !== undefined) return [await client.run(name)];
  const jobs = await client.jobs({ project });
  const runs = await Promise.all(jobs.map(({ id }) => client.runs(id)));
  return runs.flat().sort((a, b) => (a.id < b.id ? 1 : -1));
}

function describeRun(run: RunResource, now: number): Section[] {
  return [
    facts({
      Id: run.id,
      Job: `${run.project}/${run.job}`,
      Created: moment(run.created_at, now),
      'Asked for by': triggerOf(run),
      Status: `${run.status} (${run.reason})`,
      Message: run.message,
      'Exit code': run.exit_code === null ? 'none' : String(run.exit_code),
      Tries: `${run.tries} of ${run.retries + 1}${run.next_try_at === null ? '' : `, the next at ${run.next_try_at}`}`,
      Started: moment(run.started_at, now),
      Finished: moment(run.finished_at, now),
      Image: run.image,
      Command: run.command.length === 0 ? "the image's own" : run.command.join(' '),
      Deadline: run.deadline,
      Log: `svc runs logs ${run.id}`,
    }),
    conditionsSection(run.conditions, now),
  ];
}

function triggerOf({ trigger, scheduled_for: at, deployment_id: deployment }: RunResource): string {
  if (trigger === 'schedule') return `the schedule, for ${at ?? ''}`;
  return trigger === 'release' ? `deployment ${deployment ?? ''}` : 'somebody';
}
