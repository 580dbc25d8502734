/** Reads everything a pass over one job decides on. Reads only. */
import type { Row } from '../../specs/index.ts';
import type { Reader } from '../../api/store/store.ts';

export interface Observed {
  /** All of the job, newest first. */
  runs: Row<'Run'>[];
  /** The promoted deployment of its service. */
  deployment: Row<'Deployment'> | undefined;
}

export async function observe(row: Row<'Job'>, reader: Reader): Promise<Observed> {
  const runs = await reader.list('Run', { owner: row.id });
  const { service_id: serviceId } = row.spec;
  const service = serviceId === null ? undefined : await reader.get('Service', serviceId);
  const promoted = service?.status.promoted ?? null;
  return { runs, deployment: promoted === null ? undefined : await reader.get('Deployment', promoted) };
}
