/** Domains of a service: hostnames that it is served at once they are verified. */
import { Type } from '@sinclair/typebox';
import { ProblemError } from '../../specs/problem.ts';
import { CreateDomain } from '../../specs/requests.ts';
import { DomainResource, Page } from '../../specs/resources.ts';
import { domainInPath, domainOf, serviceInPath, serviceOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { askToVerify, createDomain, deleteDomain } from '../desired/domain.ts';
import { pageQuery, readPage } from '../paging.ts';
import { accessWatch } from '../plugins/auth.ts';
import { verdictOn } from '../verdict.ts';
import { ifMatch, setETag } from '../versions.ts';
import { readDomainView } from '../views/domain.ts';

const params = Type.Object({ id: Type.String() });
const oneParams = Type.Object({ id: Type.String(), domain_id: Type.String() });
const querystring = Type.Object(pageQuery, { additionalProperties: false });
const NoBody = Type.Object({}, { additionalProperties: false });
const operatesOne = { access: { role: 'Operator', of: domainInPath } } as const;

export function domainRoutes(app: App, api: ApiContext): void {
  readRoutes(app, api);
  writeRoutes(app, api);
  verifyRoute(app, api);
}

function readRoutes(app: App, { store, settings }: ApiContext): void {
  app.get(
    '/v1/services/:id/domains',
    {
      config: { access: { role: 'Viewer', of: serviceInPath } },
      schema: { operationId: 'listDomains', params, querystring, response: { 200: Page(DomainResource) } },
    },
    async (request) => {
      const { rows, next_cursor } = await readPage(
        (options) => store.list('Domain', { owner: serviceOf(request).id, ...options }),
        request.query,
      );
      return {
        items: await Promise.all(rows.map((row) => readDomainView(store, row, settings))),
        next_cursor,
      };
    },
  );

  app.get(
    '/v1/services/:id/domains/:domain_id',
    {
      config: { access: { role: 'Viewer', of: domainInPath } },
      schema: { operationId: 'getDomain', params: oneParams, response: { 200: DomainResource } },
    },
    (request, reply) => {
      setETag(reply, domainOf(request));
      return readDomainView(store, domainOf(request), settings);
    },
  );
}

function writeRoutes(app: App, api: ApiContext): void {
  const { store, settings } = api;

  app.post(
    '/v1/services/:id/domains',
    {
      config: { access: { role: 'Operator', of: serviceInPath } },
      schema: {
        operationId: 'createDomain',
        description: 'It gets no traffic before it is verified.',
        ...{ params, body: CreateDomain, response: { 201: DomainResource } },
      },
    },
    async (request, reply) => {
      const domain = await createDomain(api, serviceOf(request).id, request.body);
      setETag(reply, domain);
      return reply.code(201).send(await readDomainView(store, domain, settings));
    },
  );

  app.delete(
    '/v1/services/:id/domains/:domain_id',
    {
      config: operatesOne,
      schema: { operationId: 'deleteDomain', params: oneParams, response: { 202: DomainResource } },
    },
    async (request, reply) => {
      const domain = await deleteDomain(store, domainOf(request).id, ifMatch(request, domainOf(request)));
      setETag(reply, domain);
      return reply.code(202).send(await readDomainView(store, domain, settings));
    },
  );
}

function verifyRoute(app: App, api: ApiContext): void {
  const { store, settings } = api;
  app.post(
    '/v1/services/:id/domains/:domain_id/verify',
    {
      config: operatesOne,
      schema: {
        operationId: 'verifyDomain',
        description:
          'Fetches the challenge over the hostname, and answers 200 with the domain Verified or Failed. 202: the node has not come to it yet.',
        ...{ params: oneParams, body: NoBody, response: { 200: DomainResource, 202: DomainResource } },
      },
    },
    async (request, reply) => {
      const asked = await askToVerify(store, domainOf(request).id, ifMatch(request, domainOf(request)));
      const left = new AbortController();
      reply.raw.once('close', () => left.abort());
      const domain = await verdictOn(api, asked, AbortSignal.any([left.signal, accessWatch(request).signal]));
      if (!domain) throw new ProblemError('not_found', 'There is no such domain.');
      setETag(reply, domain);
      const hasVerdict = domain.status.attempt >= asked.spec.attempt;
      return reply.code(hasVerdict ? 200 : 202).send(await readDomainView(store, domain, settings));
    },
  );
}
