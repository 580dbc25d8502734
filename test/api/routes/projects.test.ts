import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page, ProjectResource } from '../../../specs/resources.ts';
import { testApi } from '../../support/api.ts';

describe('/v1/projects', () => {
  it('makes a project and shows it by id and by name', async (t) => {
    const api = await testApi(t);
    const made = await api.call('POST', '/v1/projects', { name: 'shop' });
    assert.equal(made.status, 201);
    const project = made.json<ProjectResource>();
    assert.match(project.id, /^prj_/);
    assert.deepEqual(
      { ...project, id: '', created_at: '', updated_at: '' },
      {
        ...{
          id: '',
          name: 'shop',
          generation: 1,
          observed_generation: 0,
          created_at: '',
          updated_at: '',
          deleting: false,
          conditions: [],
        },
      },
    );
    for (const id of [project.id, 'shop']) {
      const answer = await api.call('GET', `/v1/projects/${id}`);
      assert.deepEqual(answer.json(), project);
      assert.equal(answer.headers.etag, made.headers.etag);
      assert.match(String(answer.headers.etag), /^"\d+"$/);
    }
  });

  it('refuses a name that is taken', async (t) => {
    const api = await testApi(t);
    await api.call('POST', '/v1/projects', { name: 'shop' });
    const again = await api.call('POST', '/v1/projects', { name: 'shop' });
    assert.deepEqual([again.status, again.problem().code], [409, 'conflict']);
    assert.equal((await api.store.list('Project')).length, 1);
  });

  it('does not know what is not there', async (t) => {
    const api = await testApi(t);
    for (const id of ['none', 'prj_00000000000000000000000000', 'svc_x', '..', '%00', 'x'.repeat(90)]) {
      const answer = await api.call('GET', `/v1/projects/${id}`);
      assert.deepEqual([answer.status, answer.problem().code], [404, 'not_found'], id);
    }
  });
});

describe('lists', () => {
  it('come page by page, newest first, and stay right while rows come', async (t) => {
    const api = await testApi(t);
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await api.call('POST', '/v1/projects', { name });
    const seen: string[] = [];
    for (let url: string | undefined = '/v1/projects?limit=2'; url !== undefined;) {
      const page: Page<ProjectResource> = (await api.call('GET', url)).json();
      seen.push(...page.items.map(({ name }) => name));
      await api.call('POST', '/v1/projects', { name: `new-${seen.length}` });
      url = page.next_cursor === null ? undefined : `/v1/projects?limit=2&cursor=${page.next_cursor}`;
    }
    assert.deepEqual(seen, names.reverse());
  });

  it('end with a null cursor when a page is just full', async (t) => {
    const api = await testApi(t);
    for (const name of ['a', 'b']) await api.call('POST', '/v1/projects', { name });
    assert.equal(
      (await api.call('GET', '/v1/projects?limit=2')).json<Page<ProjectResource>>().next_cursor,
      null,
    );
  });

  for (const query of [
    'limit=0',
    'limit=501',
    'limit=x',
    'limit=1.5',
    'limit=1&limit=2',
    'cursor=x',
    'cursor=%00',
    'limits=1',
  ]) {
    it(`refuse ?${query}`, async (t) => {
      const api = await testApi(t);
      const answer = await api.call('GET', `/v1/projects?${query}`);
      assert.deepEqual([answer.status, answer.problem().errors?.length], [422, 1]);
    });
  }
});
