import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { testApi } from '../../support/api.ts';
import { aReplica, given } from '../../support/store.ts';
import { giveStream, openStream, printed, timersOfStream } from '../../support/event-stream.ts';

describe('GET /v1/services/{id}/logs', () => {
  it('is text, or all that is known of each line as JSON', async (t) => {
    const api = await testApi(t);
    const { serviceId } = await giveStream(api);
    api.logs.print(serviceId, printed('one'), printed('two', 'rep_2', '2030-01-02T00:00:00.000Z'));
    const url = `/v1/services/${serviceId}/logs`;
    const get = async (query: string) => (await api.call('GET', url + query)).text;
    assert.equal(await get(''), 'one\ntwo\n');
    assert.equal(await get('?tail=1'), 'two\n');
    assert.equal(await get('?tail=0'), '');
    assert.equal(await get('?replica=rep_1'), 'one\n');
    assert.equal(await get('?replica=ep_2'), 'two\n');
    assert.equal(await get('?since=2030-01-02T01:00:00%2B01:00'), 'two\n');
    const json = await api.call('GET', url, undefined, { accept: 'application/x-ndjson' });
    assert.equal(json.headers['content-type'], 'application/x-ndjson');
    assert.deepEqual(JSON.parse(json.text.split('\n')[0] ?? ''), printed('one'));
  });

  for (const query of [
    'tail=-1',
    'tail=x',
    'since=yesterday',
    'folow=1',
    'previous=1',
    'replica=rep_9',
    'replica=p_1',
    'deployment=9',
  ]) {
    it(`refuses ?${query}`, async (t) => {
      const api = await testApi(t);
      const { serviceId } = await giveStream(api);
      assert.equal((await api.call('GET', `/v1/services/${serviceId}/logs?${query}`)).status, 422);
    });
  }
});

describe('whose lines are meant', () => {
  it('is said by the id of a replica or the end of it, also before it has printed', async (t) => {
    const api = await testApi(t);
    const { id, serviceId } = await giveStream(api);
    const one = aReplica({ owner: id, id: 'rep_01aaaaxyz1' });
    await given(api.store, one, aReplica({ owner: id, id: 'rep_01bbbbxyz1', name: '0.1' }));
    const get = (replica: string) => api.call('GET', `/v1/services/${serviceId}/logs?replica=${replica}`);
    assert.deepEqual([(await get(one.id)).status, (await get('axyz1')).status], [200, 200]);
    const several = (await get('xyz1')).problem();
    assert.deepEqual(several.errors, [
      { path: '/replica', message: 'means several replicas of this service: give more of its id' },
    ]);
    assert.match((await get('cxyz1')).problem().errors?.[0]?.message ?? '', /^is no replica of this service/);
    assert.match((await get('cxyz1')).problem().detail, /^The query is invalid: \/replica is no replica/);
  });

  it('is said by the id or the number of a deployment, and only of this service', async (t) => {
    const api = await testApi(t);
    const { id, serviceId } = await giveStream(api);
    const { status } = await api.call('POST', '/v1/services', { project: 'shop', name: 'other', port: 80 });
    assert.equal(status, 201);
    const other = await api.call('GET', '/v1/services?name=other');
    const [{ id: otherId }] = other.json<{ items: [{ id: string }] }>().items;
    const get = (service: string, deployment: string) =>
      api.call('GET', `/v1/services/${service}/logs?deployment=${deployment}`);
    assert.deepEqual([(await get(serviceId, id)).status, (await get(serviceId, '1')).status], [200, 200]);
    const { errors } = (await get(otherId, id)).problem();
    assert.match(errors?.[0]?.message ?? '', /^is no deployment of this service/);
  });

  it('of an earlier run is not found where none is kept', async (t) => {
    const api = await testApi(t);
    const { serviceId } = await giveStream(api);
    api.logs.print(serviceId, printed('one'));
    const answer = await api.call('GET', `/v1/services/${serviceId}/logs?previous=true`);
    assert.equal(answer.problem().code, 'not_found');
    const followed = await api.call('GET', `/v1/services/${serviceId}/logs/stream?previous=true`);
    assert.equal(followed.status, 422);
  });
});

describe('GET /v1/services/{id}/logs/stream', () => {
  for (const [what, query, lastEventId, before] of [
    ['all that is there', '', undefined, ['3.1 log one', '3.2 log two', '3.3 log three']],
    ['the tail', '?tail=1', undefined, ['3.1 log three']],
    ['what it broke off before', '', '3.2', ['3.3 log three']],
    ['what has come since it broke off', '?tail=1', '2.1', ['3 log three']],
    ['nothing of the past', '?tail=0', undefined, []],
    ['what follows the last event, whatever the tail', '?tail=1', '1', ['2 log two', '3 log three']],
    ['one replica', '?replica=rep_2', undefined, ['3.1 log two']],
    ['everything to one with an id that is not ours', '?tail=1', 'x', ['3.1 log three']],
  ] as const) {
    it(`sends ${what}, then what is printed`, async (t) => {
      const api = await testApi(t);
      const { serviceId } = await giveStream(api);
      api.logs.print(serviceId, printed('one'), printed('two', 'rep_2'), printed('three'));
      const stream = await openStream(api, `/v1/services/${serviceId}/logs/stream${query}`, lastEventId);
      await eventually(() => api.clock.pending === timersOfStream);
      await eventually(() => stream.events().length === before.length);
      assert.deepEqual(stream.events(), before);
      api.logs.print(serviceId, printed('four', 'rep_2'));
      await eventually(() => stream.events().length === before.length + 1);
      assert.deepEqual(stream.events(), [...before, '4 log four']);
      assert.equal(stream.ended(), false);
    });
  }

  it('ends when the service is gone', async (t) => {
    const api = await testApi(t);
    const { serviceId } = await giveStream(api);
    const stream = await openStream(api, `/v1/services/${serviceId}/logs/stream`);
    await eventually(() => api.clock.pending === timersOfStream);
    await api.store.write((writer) => writer.purge('Service', serviceId));
    await eventually(() => stream.ended());
  });
});
