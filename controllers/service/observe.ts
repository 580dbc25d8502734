/** Reads everything a pass over one service decides on. Reads only. */
import type { Row } from '../../specs/index.ts';
import { isOver } from '../../specs/job.ts';
import type { Store } from '../../api/store/store.ts';

export interface Observed {
  /** All deployments of the service, newest first. */
  deployments: Row<'Deployment'>[];
  /** Ready replicas of the promoted deployment that are routed to; those of a restart that is being gated are not. */
  ready: number;
  /** What the engine said where it does not change the limits of a replica of the promoted deployment. */
  limitsRefused?: string | undefined;
  /** What else is left of it. Read only while it is being deleted. */
  replicas: Row<'Replica'>[];
  uploads: Row<'Upload'>[];
  domains: Row<'Domain'>[];
  jobs: Row<'Job'>[];
  /** Deployments in whose images runs of jobs are under way. */
  needed: string[];
}

export interface ObserveDeps {
  store: Store;
}

export async function observe(row: Row<'Service'>, { store }: ObserveDeps): Promise<Observed> {
  const deployments = await store.list('Deployment', { owner: row.id });
  if (row.deleted_at !== null) {
    const [uploads, domains, jobs, all] = await Promise.all([
      store.list('Upload', { owner: row.id }),
      store.list('Domain', { owner: row.id }),
      jobsOf(row, store),
      store.list('Replica'),
    ]);
    return {
      deployments,
      uploads,
      ...{ domains, jobs, needed: [] },
      replicas: all.filter(({ spec }) => spec.service_id === row.id),
      ready: 0,
    };
  }
  const { promoted } = row.status;
  const replicas = promoted === null ? [] : await store.list('Replica', { owner: promoted });
  const epoch = deployments.find(({ id }) => id === promoted)?.status.epoch;
  const ready = replicas.filter(
    ({ spec, status, deleted_at: deleted }) =>
      spec.epoch === epoch && status.phase === 'Ready' && deleted === null,
  );
  const none = { replicas: [], uploads: [], domains: [], jobs: [] };
  const limitsRefused = replicas
    .filter(({ deleted_at: deleted }) => deleted === null)
    .flatMap(({ status }) => status.conditions)
    .find(({ type, status }) => type === 'Limits' && status === 'False')?.message;
  return { deployments, ready: ready.length, limitsRefused, ...none, needed: await neededByRuns(row, store) };
}

/** Those that run in its image. */
async function jobsOf({ id, owner }: Row<'Service'>, store: Store): Promise<Row<'Job'>[]> {
  const jobs = owner === null ? [] : await store.list('Job', { owner });
  return jobs.filter(({ spec }) => spec.service_id === id);
}

async function neededByRuns({ id }: Row<'Service'>, store: Store): Promise<string[]> {
  const runs = await store.list('Run');
  const active = runs.filter(({ spec, status }) => spec.service_id === id && !isOver(status.phase));
  return active.flatMap(({ spec }) => spec.deployment_id ?? []);
}
