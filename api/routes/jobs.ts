/** Jobs: commands that run to their end, on a schedule or on demand. */
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Row } from '../../specs/index.ts';
import { CreateJob, UpdateJob } from '../../specs/job-requests.ts';
import { JobResource } from '../../specs/job-resources.ts';
import { Page } from '../../specs/resources.ts';
import { jobInPath, jobOf, projectInBody, projectOf, roleIn, roleOf } from '../auth/scope.ts';
import type { Principal } from '../auth/principal.ts';
import type { ApiContext, App } from '../context.ts';
import { createJob } from '../desired/create-job.ts';
import { deleteJob } from '../desired/delete.ts';
import { updateJob } from '../desired/update-job.ts';
import { projectQuery, readProjectPage } from '../project-page.ts';
import { ifMatch, setETag } from '../versions.ts';
import { readJobView } from '../views/job.ts';

const params = Type.Object({ id: Type.String() });
const viewer = { access: { role: 'Viewer', of: jobInPath } } as const;
const operator = { access: { role: 'Operator', of: jobInPath } } as const;

export function jobRoutes(app: App, api: ApiContext): void {
  const view: View = (request, row) => readJobView(api.store, row, projectOf(request), roleOf(request));
  readRoutes(app, api, view);
  writeRoutes(app, api, view);
}

type View = (request: FastifyRequest, row: Row<'Job'>) => Promise<JobResource>;

function readRoutes(app: App, api: ApiContext, view: View): void {
  const { store } = api;

  app.get(
    '/v1/jobs',
    {
      config: { access: 'any' },
      schema: { operationId: 'listJobs', querystring: projectQuery, response: { 200: Page(JobResource) } },
    },
    async ({ query, principal }) => {
      const { rows, next_cursor } = await readProjectPage(store, 'Job', query, principal);
      return { items: await jobsView(api, rows, principal), next_cursor };
    },
  );

  app.get(
    '/v1/jobs/:id',
    { config: viewer, schema: { operationId: 'getJob', params, response: { 200: JobResource } } },
    async (request, reply) => {
      setETag(reply, jobOf(request));
      return view(request, jobOf(request));
    },
  );
}

function writeRoutes(app: App, api: ApiContext, view: View): void {
  app.post(
    '/v1/jobs',
    {
      config: { access: { role: 'Operator', of: projectInBody } },
      schema: { operationId: 'createJob', body: CreateJob, response: { 201: JobResource } },
    },
    async (request, reply) => {
      const job = await createJob(api, projectOf(request), request.body);
      setETag(reply, job);
      return reply.code(201).send(await view(request, job));
    },
  );

  app.patch(
    '/v1/jobs/:id',
    {
      config: operator,
      schema: { operationId: 'updateJob', params, body: UpdateJob, response: { 200: JobResource } },
    },
    async (request, reply) => {
      const current = jobOf(request);
      const job = await updateJob(api, current.id, request.body, ifMatch(request, current));
      setETag(reply, job);
      return view(request, job);
    },
  );

  app.delete(
    '/v1/jobs/:id',
    {
      config: operator,
      schema: { operationId: 'deleteJob', params, response: { 202: JobResource } },
    },
    async (request, reply) => {
      const job = await deleteJob(api.store, jobOf(request).id, ifMatch(request, jobOf(request)));
      setETag(reply, job);
      return reply.code(202).send(await view(request, job));
    },
  );
}

/** Reads each project once. A job whose project is just going away is left out. */
async function jobsView(
  { store }: ApiContext,
  jobs: Row<'Job'>[],
  principal: Principal | null,
): Promise<JobResource[]> {
  const ids = new Set(jobs.map(({ spec }) => spec.project_id));
  const found = await Promise.all([...ids].map((id) => store.get('Project', id)));
  const projects = new Map(found.flatMap((project) => (project ? [[project.id, project] as const] : [])));
  const views = jobs.map(async (job) => {
    const project = projects.get(job.spec.project_id);
    return project ? [await readJobView(store, job, project, roleIn(principal, project.id))] : [];
  });
  return (await Promise.all(views)).flat();
}
