import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { testApi } from '../../support/api.ts';
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
    assert.equal(await get('?since=2030-01-02T01:00:00%2B01:00'), 'two\n');
    const json = await api.call('GET', url, undefined, { accept: 'application/x-ndjson' });
    assert.equal(json.headers['content-type'], 'application/x-ndjson');
    assert.deepEqual(JSON.parse(json.text.split('\n')[0] ?? ''), printed('one'));
  });

  for (const query of ['tail=-1', 'tail=x', 'since=yesterday', 'folow=1']) {
    it(`refuses ?${query}`, async (t) => {
      const api = await testApi(t);
      const { serviceId } = await giveStream(api);
      assert.equal((await api.call('GET', `/v1/services/${serviceId}/logs?${query}`)).status, 422);
    });
  }
});

describe('GET /v1/services/{id}/logs/stream', () => {
  for (const [what, query, lastEventId, before] of [
    ['all that is there', '', undefined, ['1 log one', '2 log two', '3 log three']],
    ['the tail', '?tail=1', undefined, ['3 log three']],
    ['nothing of the past', '?tail=0', undefined, []],
    ['what follows the last event, whatever the tail', '?tail=1', '1', ['2 log two', '3 log three']],
    ['one replica', '?replica=rep_2', undefined, ['2 log two']],
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
