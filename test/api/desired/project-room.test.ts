/** How many things a project may have, and that what is being deleted leaves its place to another. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Row } from '../../../specs/index.ts';
import { mostInProject } from '../../../specs/project.ts';
import { giveService, testApi, type Answer, type TestApi } from '../../support/api.ts';
import { aDomain, aJob, anId, aService, given } from '../../support/store.ts';

interface World {
  api: TestApi;
  project: string;
  service: string;
}

async function world(t: TestContext): Promise<World> {
  const api = await testApi(t);
  const { project, service } = await giveService(api);
  return { api, project: project.id, service: service.id };
}

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

function refused(answer: Answer, said: RegExp): void {
  assert.deepEqual([answer.status, answer.problem().code], [413, 'too_large'], answer.text);
  assert.match(answer.problem().detail, said);
}

function aRegistry(n: number, owner: string): Row<'Registry'> {
  const row = aService({ id: anId('registry', n), name: `r${n}.example.com`, owner });
  const spec = { server: row.name, username: 'bot', password_version: 1 };
  return { ...row, kind: 'Registry', spec, status: { conditions: [] } };
}

describe('a project', () => {
  it('has so many services, and another one once one is deleted', async (t) => {
    const { api, project, service } = await world(t);
    const rows = times(mostInProject.Service - 1, (n) =>
      aService({ id: anId('service', n), name: `s${n}`, owner: project }),
    );
    await given(api.store, ...rows);
    const add = () => api.call('POST', '/v1/services', { project: 'shop', name: 'more', port: 80 });
    refused(await add(), /at most 200 services\. Remove one first/);
    assert.equal((await api.call('DELETE', `/v1/services/${service}`)).status, 202);
    assert.equal((await add()).status, 201);
  });

  it('has so many jobs', async (t) => {
    const { api, project } = await world(t);
    const rows = times(mostInProject.Job, (n) => aJob({ id: anId('job', n), name: `j${n}`, owner: project }));
    await given(api.store, ...rows);
    const body = { project: 'shop', name: 'more', image: 'busybox' };
    refused(await api.call('POST', '/v1/jobs', body), /at most 200 jobs/);
    await api.call('POST', '/v1/projects', { name: 'blog' });
    assert.equal((await api.call('POST', '/v1/jobs', { ...body, project: 'blog' })).status, 201);
  });

  it('has so many registries', async (t) => {
    const { api, project } = await world(t);
    await given(api.store, ...times(mostInProject.Registry, (n) => aRegistry(n, project)));
    const body = { server: 'ghcr.io', username: 'bot', password: 'correct horse battery' };
    refused(await api.call('POST', `/v1/projects/${project}/registries`, body), /at most 50 registries/);
    assert.deepEqual(api.store.vault.secretsOf(project), [], 'nor is its password kept');
  });

  it('has so many domains, whichever of its services they belong to', async (t) => {
    const { api, project, service } = await world(t);
    const services = times(10, (n) => aService({ id: anId('service', n), name: `s${n}`, owner: project }));
    const domains = times(mostInProject.Domain, (n) =>
      aDomain({
        id: anId('domain', n),
        spec: { hostname: `h${n}.example.com`, service_id: services[n % 10]?.id ?? '' },
      }),
    );
    await given(api.store, ...services, ...domains);
    const answer = await api.call('POST', `/v1/services/${service}/domains`, { hostname: 'a.example.com' });
    refused(answer, /at most 1000 domains/);
  });
});
