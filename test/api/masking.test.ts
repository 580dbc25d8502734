import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { DeploymentResource, Page } from '../../specs/resources.ts';
import { testApi, type TestApi } from '../support/api.ts';
import { at, giveStream, line, openStream, printed } from '../support/event-stream.ts';
import { eventually } from '../support/eventually.ts';
import { aReplica, given } from '../support/store.ts';

const secret = 'correct-horse-battery';

/** Makes it a secret of the service. */
async function tell(api: TestApi, serviceId: string, value = secret): Promise<void> {
  const { status, text } = await api.call('PATCH', `/v1/services/${serviceId}/secrets`, {
    set: { KEY: value },
  });
  assert.ok(status < 300, text);
}

/** A deployment whose log holds the value in every way, written when nobody knew that it is one. */
async function deploymentLog(t: TestContext) {
  const api = await testApi(t);
  const stream = await giveStream(api);
  const split = ['a correct-', 'horse-', 'battery z'].map(line);
  api.logs.append(stream.id, line(`is ${secret}`), ...split, {
    ...{ event: 'status', at, status: 'Building', reason: 'Building' },
    message: `It printed:\n  ${secret}`,
  });
  return { api, ...stream };
}

describe('the log of a deployment', () => {
  it('shows what it holds until it is known to be secret, and then no more of it', async (t) => {
    const { api, id, serviceId } = await deploymentLog(t);
    const read = async () => (await api.call('GET', `/v1/deployments/${id}/logs`)).text;
    assert.ok((await read()).includes(secret));
    await tell(api, serviceId);
    assert.equal(await read(), `is ***\na ***\n***\n*** z\n${at} Building (Building): It printed:\n  ***\n`);
  });

  it('streams nothing of a value, wherever the stream begins', async (t) => {
    const { api, id, serviceId, path } = await deploymentLog(t);
    await tell(api, serviceId);
    const masked = ['is ***', 'a ***', '***', '*** z', 'Building'];
    for (const after of [0, 1, 2, 3]) {
      const stream = await openStream(api, path, `${after}`);
      const left = masked.slice(after);
      await eventually(() => stream.events().length === left.length);
      assert.deepEqual(
        stream.events().map((event) => event.replace(/^\d+ \w+ /, '')),
        left,
      );
      assert.ok(!stream.text().includes(secret));
      stream.leave();
    }
    api.logs.append(id, line('later correct-horse'));
    const stream = await openStream(api, path, '5');
    await eventually(() => stream.events().length === 1);
    api.logs.append(id, line('-battery'));
    await eventually(() => stream.events().length === 2);
    assert.deepEqual(stream.events(), ['6 log later ***', '7 log ***']);
  });
});

describe('the log of a service', () => {
  const lines = ['is', secret, 'correct-', 'horse-', 'battery', 'end'];

  async function workloadLog(t: TestContext) {
    const api = await testApi(t);
    const { serviceId } = await giveStream(api);
    for (const text of lines)
      api.logs.print(serviceId, printed(text), printed('other', 'rep_2', '2030-01-02T00:00:00.000Z'));
    const read = async (query: string) =>
      (await api.call('GET', `/v1/services/${serviceId}/logs${query}`)).text;
    return { api, serviceId, read };
  }

  it('shows nothing of a value that has become secret, also where it begins in the middle of it', async (t) => {
    const { api, serviceId, read } = await workloadLog(t);
    assert.equal(await read('?replica=rep_1'), `${lines.join('\n')}\n`);
    await tell(api, serviceId);
    assert.equal(await read('?replica=rep_1'), 'is\n***\n***\n***\n***\nend\n');
    assert.equal(await read('?tail=5'), 'other\n***\nother\nend\nother\n');
    assert.equal(await read('?tail=3&replica=rep_1'), '***\n***\nend\n');
    assert.equal(await read(`?since=${at}&tail=7`), 'other\n***\nother\n***\nother\nend\nother\n');
  });

  it('keeps what a value began with from one line of a stream to the next', async (t) => {
    const { api, serviceId } = await workloadLog(t);
    await tell(api, serviceId);
    const path = `/v1/services/${serviceId}/logs/stream`;
    const resumed = await openStream(api, `${path}?replica=rep_1`, '7');
    await eventually(() => resumed.events().length === 2);
    assert.deepEqual(resumed.events(), ['9 log ***', '11 log end']);
    // More than half of it: hidden although nobody knows whether it goes on.
    api.logs.print(serviceId, printed('anew correct-horse'));
    await eventually(() => resumed.events().length === 3);
    const fresh = await openStream(api, `${path}?tail=0`);
    await eventually(() => api.logs.listening === 2 && api.clock.pending >= 4);
    api.logs.print(serviceId, printed('-battery!'));
    await eventually(() => resumed.events().length === 4 && fresh.events().length === 1);
    assert.deepEqual(resumed.events().slice(2), ['13 log anew ***', '14 log ***!']);
    assert.deepEqual(fresh.events(), ['14 log ***!']);
  });
});

describe('other answers', () => {
  it('show nothing of a value in what is said of a deployment and its replicas', async (t) => {
    const api = await testApi(t);
    const { id, serviceId } = await giveStream(api);
    const message = `Its last lines:\n  ${secret}`;
    const conditions = [
      { type: 'Ready', status: 'False' as const, reason: 'WorkloadExited', message, last_transition_at: at },
    ];
    await api.store.patchStatus('Deployment', id, 1, {
      phase: 'Failed',
      reason: 'WorkloadExited',
      message,
      conditions,
    });
    await given(api.store, aReplica({ owner: id, status: { probe: `503: "${secret}"` } }));
    await tell(api, serviceId);
    const one = await api.call('GET', `/v1/deployments/${id}`);
    const list = await api.call('GET', '/v1/deployments');
    for (const shown of [one.json<DeploymentResource>(), list.json<Page<DeploymentResource>>().items[0]]) {
      assert.equal(shown?.message, 'Its last lines:\n  ***');
      assert.deepEqual(
        shown.conditions.map((found) => found.message),
        ['Its last lines:\n  ***'],
      );
      assert.deepEqual(
        shown.replicas.map(({ probe }) => probe),
        ['503: "***"'],
      );
    }
    assert.ok(!(one.text + list.text).includes(secret));
  });

  it('show nothing of a value in a problem about its project', async (t) => {
    const api = await testApi(t);
    const { serviceId } = await giveStream(api);
    await tell(api, serviceId, 'correct_horse');
    const refused = await api.call('PATCH', `/v1/services/${serviceId}`, { env: { SVC_correct_horse: 'x' } });
    assert.equal(refused.status, 422);
    assert.deepEqual(
      refused.problem().errors?.map(({ path }) => path),
      ['/env/SVC_***'],
    );
    assert.ok(!refused.text.includes('correct_horse'), refused.text);
  });
});
