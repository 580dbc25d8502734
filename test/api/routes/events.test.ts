import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Event, NewEvent } from '../../../specs/event.ts';
import type { Page } from '../../../specs/resources.ts';
import { bearer, giveMember, giveService, testApi } from '../../support/api.ts';
import { anId } from '../../support/store.ts';

const event = (project_id: string, said: Partial<NewEvent> = {}): NewEvent => ({
  ...{ project_id, kind: 'Replica', object: anId('replica'), service_id: null, name: '0.0' },
  ...{ type: 'Warning', reason: 'Exited', message: 'Exited with code 1.', ...said },
});

describe('GET /v1/events', () => {
  it('answers what happened to a service and to all that belongs to it, newest first', async (t) => {
    const api = await testApi(t);
    const { project, service } = await giveService(api);
    const of = { service_id: service.id };
    for (const said of [{ ...of, reason: 'Started' }, { ...of, reason: 'Exited' }, { reason: 'Else' }]) {
      await api.store.events.append(event(project.id, said));
      await api.clock.advance(1);
    }
    const reasons = async (query: string) =>
      (await api.call('GET', `/v1/events${query}`)).json<Page<Event>>().items.map(({ reason }) => reason);
    assert.deepEqual(await reasons(`?service_id=${service.id}`), ['Exited', 'Started']);
    assert.deepEqual(await reasons('?kind=Replica&limit=2'), ['Else', 'Exited']);
    assert.deepEqual(await reasons('?project=shop&kind=Service'), []);
    assert.deepEqual(await reasons('?project=nowhere'), []);
  });

  it('shows a member the events of its projects, and nothing of others', async (t) => {
    const api = await testApi(t);
    const { project } = await giveService(api);
    await api.call('POST', '/v1/projects', { name: 'blog' });
    const { token } = await giveMember(api, 'vera', { [project.id]: 'Viewer' });
    const other = (await api.call('GET', '/v1/projects/blog')).json<{ id: string }>().id;
    await api.store.events.append(event(project.id));
    await api.store.events.append(event(other, { object: anId('replica', 2) }));
    const seen = async (query: string) =>
      (await api.call('GET', `/v1/events${query}`, undefined, bearer(token))).json<Page<Event>>().items;
    assert.deepEqual(
      (await seen('')).map(({ project_id }) => project_id),
      [project.id],
    );
    assert.deepEqual(await seen('?project=blog'), []);
    assert.deepEqual(await seen(`?project=${other}`), []);
    assert.deepEqual(await seen(`?id=${anId('replica', 2)}`), []);
  });

  it('hides what has become secret since', async (t) => {
    const api = await testApi(t);
    const { project, service } = await giveService(api);
    await api.store.events.append(event(project.id, { message: 'It said: correct-horse' }));
    await api.call('PATCH', `/v1/services/${service.id}/secrets`, { set: { KEY: 'correct-horse' } });
    const { items } = (await api.call('GET', '/v1/events')).json<Page<Event>>();
    assert.equal(items[0]?.message, 'It said: ***');
  });
});
