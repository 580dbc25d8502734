import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Member } from '../../../specs/account.ts';
import { timestamp } from '../../../specs/meta.ts';
import type { Page, ProjectResource } from '../../../specs/resources.ts';
import { bearer, giveMember, testApi } from '../../support/api.ts';

const members = '/v1/projects/shop/members';

async function shop(t: TestContext) {
  const api = await testApi(t);
  const project = (await api.call('POST', '/v1/projects', { name: 'shop' })).json<ProjectResource>();
  return { api, project };
}

describe('/v1/projects/{id}/members', () => {
  it('takes a member in, changes the role and takes it away, each at once', async (t) => {
    const { api, project } = await shop(t);
    const { id, token } = await giveMember(api, 'bob');
    const sees = async () => (await api.call('GET', '/v1/projects/shop', undefined, bearer(token))).status;
    const creates = async () =>
      (await api.call('POST', '/v1/services', { project: 'shop', name: 'web', port: 1 }, bearer(token)))
        .status;
    assert.equal(await sees(), 404);

    const made = await api.call('PUT', `${members}/bob`, { role: 'Viewer' });
    assert.equal(made.status, 201);
    const at = timestamp(api.clock.now());
    const member = { user_id: id, username: 'bob', project: 'shop', project_id: project.id, role: 'Viewer' };
    assert.deepEqual(made.json(), { ...member, created_at: at, updated_at: at });
    assert.deepEqual([await sees(), await creates()], [200, 403]);

    await api.clock.advance(1_000);
    const changed = await api.call('PUT', `${members}/${id}`, { role: 'Operator' });
    assert.equal(changed.status, 200);
    const later = { role: 'Operator', created_at: at, updated_at: timestamp(api.clock.now()) };
    assert.deepEqual(changed.json(), { ...member, ...later });
    assert.equal(await creates(), 201);

    assert.equal((await api.call('DELETE', `${members}/bob`)).status, 204);
    assert.equal(await sees(), 404);
    assert.equal((await api.call('DELETE', `${members}/bob`)).status, 404);
  });

  it('lists members page by page', async (t) => {
    const { api, project } = await shop(t);
    for (const name of ['ann', 'bob', 'cid']) await giveMember(api, name, { [project.id]: 'Viewer' });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page<Member> = (
        await api.call('GET', `${members}?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      ).json();
      seen.push(...page.items.map(({ username, role }) => `${username} ${role}`));
      cursor = page.next_cursor;
    }
    assert.deepEqual(seen.sort(), ['ann Viewer', 'bob Viewer', 'cid Viewer']);
  });

  it('keeps the last Admin of a project, whoever asks', async (t) => {
    const { api, project } = await shop(t);
    const { token } = await giveMember(api, 'ann', { [project.id]: 'Admin' });
    const as = bearer(token);
    for (const headers of [as, {}]) {
      assert.equal(
        (await api.call('DELETE', `${members}/ann`, undefined, headers)).problem().code,
        'conflict',
      );
      const demoted = await api.call('PUT', `${members}/ann`, { role: 'Operator' }, headers);
      assert.equal(demoted.problem().code, 'conflict');
    }
    await giveMember(api, 'bob');
    assert.equal((await api.call('PUT', `${members}/bob`, { role: 'Admin' }, as)).status, 201);
    assert.equal((await api.call('DELETE', `${members}/ann`, undefined, as)).status, 204);
    assert.equal((await api.call('GET', members, undefined, as)).status, 404, 'no member any longer');
  });

  it('refuses roles that there are not, and users and projects that there are not', async (t) => {
    const { api } = await shop(t);
    await giveMember(api, 'bob');
    for (const body of [{ role: 'Owner' }, { role: 'admin' }, {}, { role: 'Viewer', super_admin: true }])
      assert.equal((await api.call('PUT', `${members}/bob`, body)).status, 422);
    assert.equal((await api.call('PUT', `${members}/nobody`, { role: 'Viewer' })).status, 404);
    assert.equal((await api.call('PUT', '/v1/projects/none/members/bob', { role: 'Viewer' })).status, 404);
  });

  it('takes nobody into a project that is being deleted', async (t) => {
    const { api, project } = await shop(t);
    await giveMember(api, 'bob');
    await api.store.write((writer) => writer.markDeleted('Project', project.id));
    const answer = await api.call('PUT', `${members}/bob`, { role: 'Viewer' });
    assert.equal(answer.problem().code, 'conflict');
  });
});
