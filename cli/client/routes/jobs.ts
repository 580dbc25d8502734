/** Jobs and their runs. */
import type { CreateJob, UpdateJob } from '../../../specs/job-requests.ts';
import type { JobResource, RunResource } from '../../../specs/job-resources.ts';
import type { Transport } from '../http.ts';
import { items } from '../pages.ts';
import { path } from '../path.ts';

export function jobRoutes(http: Transport) {
  return {
    /** All that the caller may see, narrowed by a project's name or id and by a job's name. */
    jobs: (query: { project?: string | undefined; name?: string | undefined } = {}) =>
      items<JobResource>(http, '/v1/jobs', query),
    job: (id: string, signal?: AbortSignal) =>
      http.json<JobResource>('GET', path`/v1/jobs/${id}`, { signal }),
    createJob: (json: CreateJob) => http.json<JobResource>('POST', '/v1/jobs', { json }),
    updateJob: (id: string, json: UpdateJob) =>
      http.json<JobResource>('PATCH', path`/v1/jobs/${id}`, { json }),
    /** Ends only once a controller has taken everything away. */
    deleteJob: (id: string) => http.json<unknown>('DELETE', path`/v1/jobs/${id}`),
    runs: (jobId: string) => items<RunResource>(http, path`/v1/jobs/${jobId}/runs`),
    run: (id: string, signal?: AbortSignal) =>
      http.json<RunResource>('GET', path`/v1/runs/${id}`, { signal }),
    startRun: (jobId: string) => http.json<RunResource>('POST', path`/v1/jobs/${jobId}/runs`, { json: {} }),
    stopRun: (id: string) => http.json<RunResource>('POST', path`/v1/runs/${id}/stop`, { json: {} }),
  };
}
