/** Runs: attempts of a job. */
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Row } from '../../specs/index.ts';
import { RunPhase } from '../../specs/job.ts';
import { RunResource } from '../../specs/job-resources.ts';
import { Page } from '../../specs/resources.ts';
import { jobInPath, jobOf, projectOf, runInPath, runOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { startRun } from '../desired/start-run.ts';
import { stopRun } from '../desired/stop-run.ts';
import { pageQuery, readPage } from '../paging.ts';
import { ifMatch, setETag } from '../versions.ts';
import { runView } from '../views/job.ts';

const params = Type.Object({ id: Type.String() });
const NoBody = Type.Object({}, { additionalProperties: false });
const response = { 202: RunResource };
const querystring = Type.Object(
  { ...pageQuery, status: Type.Optional(RunPhase) },
  { additionalProperties: false },
);

export function runRoutes(app: App, api: ApiContext): void {
  const view = (request: FastifyRequest, row: Row<'Run'>): RunResource =>
    runView(row, jobOf(request), projectOf(request), api.masks);
  readRoutes(app, api, view);
  writeRoutes(app, api, view);
}

type View = (request: FastifyRequest, row: Row<'Run'>) => RunResource;

function readRoutes(app: App, { store }: ApiContext, view: View): void {
  app.get(
    '/v1/jobs/:id/runs',
    {
      config: { access: { role: 'Viewer', of: jobInPath } },
      schema: { operationId: 'listRuns', params, querystring, response: { 200: Page(RunResource) } },
    },
    async (request) => {
      const { query } = request;
      const { rows, next_cursor } = await readPage(
        (options) => store.list('Run', { owner: jobOf(request).id, ...options }),
        query,
        ({ status }) => query.status === undefined || status.phase === query.status,
      );
      return { items: rows.map((row) => view(request, row)), next_cursor };
    },
  );

  app.get(
    '/v1/runs/:id',
    {
      config: { access: { role: 'Viewer', of: runInPath } },
      schema: { operationId: 'getRun', params, response: { 200: RunResource } },
    },
    (request, reply) => {
      setETag(reply, runOf(request));
      return view(request, runOf(request));
    },
  );
}

function writeRoutes(app: App, api: ApiContext, view: View): void {
  app.post(
    '/v1/jobs/:id/runs',
    {
      config: { access: { role: 'Operator', of: jobInPath } },
      schema: { operationId: 'startRun', params, body: NoBody, response, problems: ['rate_limited'] },
    },
    async (request, reply) => {
      const run = await startRun(api, jobOf(request).id, ifMatch(request, jobOf(request)));
      setETag(reply, run);
      return reply.code(202).send(view(request, run));
    },
  );

  app.post(
    '/v1/runs/:id/stop',
    {
      config: { access: { role: 'Operator', of: runInPath } },
      schema: { operationId: 'stopRun', params, body: NoBody, response },
    },
    async (request, reply) => {
      const current = runOf(request);
      const run = await stopRun(api.store, current.id, ifMatch(request, current));
      setETag(reply, run);
      return reply.code(202).send(view(request, run));
    },
  );
}
