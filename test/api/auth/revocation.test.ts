import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { mintBootstrapToken } from '../../../api/auth/bootstrap-token.ts';
import { randomBytes } from 'node:crypto';
import { timestamp } from '../../../specs/meta.ts';
import type { Problem } from '../../../specs/problem.ts';
import { bearer, giveMember, giveToken, testApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { giveStream, line, openStream, printed, timersOfStream } from '../../support/event-stream.ts';

/** A stream that is open, of an Operator of the project. */
async function scene(t: TestContext, expires?: number) {
  const api = await testApi(t, { settings: { sessionIdleMs: 300_000 } });
  const { path, id: deploymentId, serviceId } = await giveStream(api);
  const service = await api.store.get('Service', serviceId);
  const projectId = service?.owner ?? '';
  const { id, token } = await giveMember(api, 'bob', { [projectId]: 'Operator' });
  const end = expires === undefined ? null : timestamp(api.clock.now() + expires);
  const session = await giveToken(api.accounts, api.clock, id, 'session', end);
  const open = (as: string, at = path) => openStream({ ...api, token: as }, at);
  return { api, id, token, session, open, path, deploymentId, serviceId, projectId };
}
type Scene = Awaited<ReturnType<typeof scene>>;

/** What takes a right away, and what the same request gets from then on. */
const losses: readonly (readonly [string, number, (scene: Scene) => Promise<unknown>])[] = [
  ['the user is deleted', 401, ({ api }) => api.call('DELETE', '/v1/users/bob')],
  ['the membership is taken away', 404, ({ api }) => api.call('DELETE', '/v1/projects/shop/members/bob')],
  [
    'the password is changed',
    401,
    ({ api }) => api.call('PATCH', '/v1/users/bob', { password: 'battery staple' }),
  ],
  [
    'the session is logged out',
    401,
    ({ api, session }) => api.call('POST', '/v1/auth/logout', undefined, bearer(session)),
  ],
];

describe('an open stream', () => {
  for (const [what, status, lose] of losses)
    it(`ends at once when ${what}, and no other does`, async (t) => {
      const given = await scene(t);
      const { api, session, open, path } = given;
      const mine = await open(session);
      const [others, workload] = [
        await open(api.token),
        await open(session, `/v1/services/${given.serviceId}/logs/stream`),
      ];
      await lose(given);
      await eventually(() => mine.ended() && workload.ended());
      assert.ok(!mine.text().includes('event: end'), 'not as if the deployment had ended');
      assert.equal((await api.call('GET', path, undefined, bearer(session))).status, status);
      api.logs.append(given.deploymentId, line('one'));
      await eventually(() => others.events().length === 1);
      assert.equal(others.ended(), false);
      others.leave();
      await eventually(() => api.clock.pending === 0 && api.logs.listening === 0);
    });

  it('ends when its API token is deleted', async (t) => {
    const { api, id, token, open } = await scene(t);
    const stream = await open(token);
    const [record] = await api.accounts.listTokens(id, 'api');
    await api.call('DELETE', `/v1/api-tokens/${record?.id ?? ''}`, undefined, bearer(token));
    await eventually(() => stream.ended());
  });

  it('ends when its token expires', async (t) => {
    const { api, session, open } = await scene(t, 20_000);
    const stream = await open(session);
    await api.clock.advance(15_000);
    await eventually(() => stream.text().includes(': still here'));
    await api.clock.advance(4_999);
    assert.equal(stream.ended(), false);
    await api.clock.advance(1);
    await eventually(() => stream.ended());
  });

  it('ends with its project, whosever it is', async (t) => {
    const { api, session, open, path, deploymentId, serviceId, projectId } = await scene(t);
    const logs = `/v1/services/${serviceId}/logs/stream`;
    const streams = [await open(session), await open(session, logs), await open(api.token, logs)];
    streams.push(await open(api.token, path));
    await api.store.write(async (writer) => {
      await writer.dropMembers(projectId);
      await writer.purge('Deployment', deploymentId);
      await writer.purge('Service', serviceId);
      await writer.purge('Project', projectId);
    });
    await eventually(() => streams.every((stream) => stream.ended()));
  });

  it('keeps its session from lying idle', async (t) => {
    const { api, session, open } = await scene(t);
    const stream = await open(session);
    for (let minutes = 0; minutes < 10; minutes += 1) {
      await api.clock.advance(60_000);
      await eventually(() => api.clock.pending === timersOfStream);
    }
    assert.equal(stream.ended(), false);
    assert.equal((await api.call('GET', '/v1/me', undefined, bearer(session))).status, 200);
  });

  it('goes on for who may still read it', async (t) => {
    const { api, session, open, deploymentId } = await scene(t);
    const stream = await open(session);
    await api.call('PUT', '/v1/projects/shop/members/bob', { role: 'Viewer' });
    api.logs.append(deploymentId, line('one'));
    await eventually(() => stream.events().length === 1);
    await api.clock.advance(15_000);
    await eventually(() => stream.text().includes(': still here'));
    assert.equal(stream.ended(), false);
  });

  it('of the bootstrap token ends with the node key', async (t) => {
    const { api, open } = await scene(t);
    const stream = await open(mintBootstrapToken(api.store.nodeKey(), randomBytes));
    await api.store.vault.rotate(randomBytes(32));
    await api.clock.advance(15_000);
    await eventually(() => stream.ended());
  });

  it('ends in the middle of what a slow reader has not taken yet', async (t) => {
    const { api, session, open, deploymentId } = await scene(t);
    const total = 2_000;
    api.logs.append(deploymentId, ...Array.from({ length: total }, () => line('x'.repeat(50_000))));
    const stream = await open(session);
    stream.response.pause();
    await stillReading(api.logs);
    await api.call('DELETE', '/v1/users/bob');
    stream.response.resume();
    await eventually(() => stream.ended());
    assert.ok(api.logs.read < total / 2 && api.logs.open === 0);
  });
});

describe('a log that is being read', () => {
  it('breaks off when its reader may no longer', async (t) => {
    const { api, session, open, serviceId } = await scene(t);
    api.logs.print(serviceId, ...Array.from({ length: 2_000 }, () => printed('x'.repeat(50_000))));
    const log = await open(session, `/v1/services/${serviceId}/logs`);
    log.response.pause();
    await stillReading(api.logs);
    await api.call('DELETE', '/v1/projects/shop/members/bob');
    log.response.resume();
    await eventually(() => log.response.destroyed);
    assert.equal(log.response.complete, false, 'nobody takes it for whole');
    await eventually(() => api.logs.open === 0);
  });
});

describe('an upload that is under way', () => {
  /** Archives that are staged, and rows that say so. */
  async function left({ api }: Scene): Promise<string[][]> {
    return [[...api.uploads.staged.keys()], (await api.store.list('Upload')).map(({ id }) => id)];
  }

  async function upload({ api, session, serviceId }: Scene): Promise<ClientRequest> {
    await api.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = api.app.server.address() as AddressInfo;
    const headers = { ...bearer(session), 'content-type': 'application/zstd' };
    const sent = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: `/v1/services/${serviceId}/uploads`,
      headers,
    });
    const before = api.uploads.staged.size;
    sent.write('a part of');
    await eventually(() => api.uploads.staged.size > before);
    return sent;
  }

  async function answerOf(sent: ClientRequest): Promise<[number | undefined, string]> {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const chunks = (await response.toArray()) as Buffer[];
    return [response.statusCode, (JSON.parse(Buffer.concat(chunks).toString()) as Problem).code];
  }

  const demotion: (typeof losses)[number] = [
    'the role is lowered',
    403,
    ({ api }) => api.call('PUT', '/v1/projects/shop/members/bob', { role: 'Viewer' }),
  ];
  for (const [what, status, lose] of [...losses, demotion])
    it(`is refused, and nothing of it is left, when ${what}`, async (t) => {
      const given = await scene(t);
      const { api } = given;
      const before = await left(given);
      const sent = await upload(given);
      const answer = answerOf(sent);
      await lose(given);
      const [answered] = await answer;
      assert.equal(answered, status);
      sent.destroy();
      // The minute in which refusals are counted for the audit, and nothing else.
      await eventually(() => api.clock.pending === 1);
      assert.deepEqual(await left(given), before);
    });

  it('is refused at the moment at which its token expires', async (t) => {
    const given = await scene(t, 10_000);
    const before = await left(given);
    const sent = await upload(given);
    const answer = answerOf(sent);
    await given.api.clock.advance(10_000);
    assert.deepEqual(await answer, [401, 'unauthenticated']);
    sent.destroy();
    assert.deepEqual(await left(given), before);
  });
});

/** Waits until the buffers of both ends are full. */
async function stillReading(logs: { read: number }): Promise<void> {
  let before = -1;
  await eventually(async () => {
    const still = before === logs.read && before > 0;
    before = logs.read;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return still;
  });
}
