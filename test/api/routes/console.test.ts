import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import type { AuditEntry } from '../../../specs/audit.ts';
import type { ConsoleTicket } from '../../../specs/console.ts';
import { ProblemError } from '../../../specs/problem.ts';
import { giveMember, testApi, type TestApi } from '../../support/api.ts';
import { giveReadyService, giveTicket, openConsole } from '../../support/console-client.ts';
import { eventually } from '../../support/eventually.ts';

async function world(t: TestContext) {
  const api = await testApi(t);
  return { api, ...(await giveReadyService(api)) };
}

const tickets = (id: string) => `/v1/services/${id}/console/tickets`;

async function audited(api: TestApi): Promise<AuditEntry[]> {
  return (await api.call('GET', '/v1/audit')).json<{ items: AuditEntry[] }>().items;
}

describe('POST …/console/tickets', () => {
  it('answers a ticket that says when it expires, and is kept by no key', async (t) => {
    const { api, service } = await world(t);
    const answer = await api.call('POST', tickets(service.id), {}, { 'idempotency-key': 'one' });
    assert.equal(answer.status, 200);
    const { ticket, expires_at } = answer.json<ConsoleTicket>();
    assert.match(ticket, /^svc_ticket_/);
    assert.equal(Date.parse(expires_at), api.clock.now() + 30_000);
    assert.equal(answer.headers['cache-control'], 'no-store');
    const again = await api.call('POST', tickets(service.id), {}, { 'idempotency-key': 'one' });
    assert.notEqual(again.json<ConsoleTicket>().ticket, ticket);
  });

  it('says that nothing is ready, and that there is no such replica', async (t) => {
    const { api, service, replica } = await world(t);
    assert.equal((await api.call('POST', tickets(service.id), { replica: 'rep_other' })).status, 404);
    await api.store.patchStatus('Replica', replica, 1, { phase: 'Starting' });
    const none = await api.call('POST', tickets(service.id), {});
    assert.equal(none.status, 409);
    assert.match(none.problem().detail, /no ready replica/);
    // By its id, one that does not get ready can be looked into.
    assert.equal((await api.call('POST', tickets(service.id), { replica })).status, 200);
    // As `svc logs` shows it, too; what could be the end of any id is none.
    const end = replica.slice(-5);
    assert.equal((await api.call('POST', tickets(service.id), { replica: end })).status, 200);
    assert.equal((await api.call('POST', tickets(service.id), { replica: replica.slice(-3) })).status, 404);
    await api.store.patchStatus('Replica', replica, 1, { phase: 'Exited' });
    assert.equal((await api.call('POST', tickets(service.id), { replica })).status, 409);
  });

  it('refuses what is no command and no size', async (t) => {
    const { api, service } = await world(t);
    for (const body of [
      ...[{ command: [] }, { command: 'sh' }, { command: ['a\u0000b'] }, { command: [1] }, { tty: 'yes' }],
      ...[{ size: { cols: 0, rows: 1 } }, { size: { cols: 1 } }, { shell: 'sh' }],
    ])
      assert.equal((await api.call('POST', tickets(service.id), body)).status, 422, JSON.stringify(body));
  });
});

describe('GET …/console/ws', () => {
  it('runs the command in the container of the replica, with its terminal', async (t) => {
    const { api, service, replica } = await world(t);
    const size = { cols: 101, rows: 33 };
    const ticket = await giveTicket(api, service.id, { command: ['top'], size, replica });
    const console = await openConsole(api, service.id, { ticket });
    const { status, requestId } = await console.answered;
    assert.equal(status, 101);
    assert.match(requestId ?? '', /^req_/);
    const { container, request: asked } = api.console.last;
    assert.deepEqual([container, asked], ['c-1', { command: ['top'], tty: true, size }]);
    api.console.last.exit(0);
    assert.deepEqual(await console.closed, { code: 1000, reason: '' });
  });

  it('refuses in the same words whatever is no good, and opens nothing', async (t) => {
    const { api, service } = await world(t);
    const other = await giveTicket(api, service.id);
    const used = await giveTicket(api, service.id);
    const late = await giveTicket(api, service.id);
    const first = await openConsole(api, service.id, { ticket: used });
    await first.answered;
    await api.clock.advance(30_000);
    const elsewhere = await giveTicket(api, service.id);
    const bodies = new Set<string>();
    const tries: [string, string][] = [
      [service.id, ''],
      [service.id, '?ticket='],
      [service.id, '?ticket=svc_ticket_none'],
      [service.id, `?ticket=${used}`],
      [service.id, `?ticket=${late}`],
      [service.id, `?ticket=${other}`],
      [service.id, `?ticket=${api.token}`],
      ['svc_01q3dcbd000000000000000000', `?ticket=${elsewhere}`],
      [service.id, `?ticket=${elsewhere}`],
    ];
    for (const [id, query] of tries) {
      const { status, body } = await (await openConsole(api, id, { query })).answered;
      assert.equal(status, 401, query);
      bodies.add(body.replaceAll(/req_\w+/g, 'req'));
    }
    assert.equal(bodies.size, 1);
    assert.equal(api.console.opened.length, 1);
  });

  it('lets one of fifty in who come with the same ticket at once', async (t) => {
    const { api, service } = await world(t);
    const ticket = await giveTicket(api, service.id);
    await api.app.listen({ host: '127.0.0.1', port: 0 });
    const all = await Promise.all(
      Array.from({ length: 50 }, async () => (await openConsole(api, service.id, { ticket })).answered),
    );
    assert.equal(all.filter(({ status }) => status === 101).length, 1);
    assert.equal(all.filter(({ status }) => status === 401).length, 49);
    assert.equal(api.console.opened.length, 1);
  });

  it('gives the rights that the holder has by now', async (t) => {
    const { api, service, project } = await world(t);
    const ann = await giveMember(api, 'ann', { [project.id]: 'Operator' });
    const [demoted, removed] = [
      await giveTicket(api, service.id, {}, ann.token),
      await giveTicket(api, service.id, {}, ann.token),
    ];
    const path = `/v1/projects/${project.id}/members/ann`;
    await api.call('PUT', path, { role: 'Viewer' });
    assert.equal((await (await openConsole(api, service.id, { ticket: demoted })).answered).status, 403);
    await api.call('DELETE', path);
    assert.equal((await (await openConsole(api, service.id, { ticket: removed })).answered).status, 404);
    assert.equal(api.console.opened.length, 0);
  });

  it('answers a handshake that is none, and leaves its ticket good', async (t) => {
    const { api, service } = await world(t);
    const ticket = await giveTicket(api, service.id);
    const path = `/v1/services/${service.id}/console/ws?ticket=${ticket}`;
    await api.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = api.app.server.address() as AddressInfo;
    const key = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
    const upgrade = { connection: 'upgrade', upgrade: 'websocket' };
    for (const headers of [
      ...[{}, upgrade, { ...upgrade, ...key }, { ...upgrade, ...key, 'sec-websocket-version': '7' }],
      { ...upgrade, 'sec-websocket-key': 'short', 'sec-websocket-version': '13' },
      { ...key, connection: 'upgrade', upgrade: 'h2c', 'sec-websocket-version': '13' },
    ]) {
      const sent = request({ host: '127.0.0.1', port, path, headers }).end();
      const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume(): void }];
      response.resume();
      assert.equal(response.statusCode, 400, JSON.stringify(headers));
    }
    assert.equal((await (await openConsole(api, service.id, { ticket })).answered).status, 101);
    api.console.last.exit(0);
  });

  it('says what the engine says, before anything is a socket', async (t) => {
    const { api, service } = await world(t);
    const problems = { conflict: 409, unavailable: 503 } as const;
    for (const code of ['conflict', 'unavailable'] as const) {
      const ticket = await giveTicket(api, service.id);
      api.console.failure = new ProblemError(code, 'It does not run.');
      const { status, body } = await (await openConsole(api, service.id, { ticket })).answered;
      assert.deepEqual([status, body.includes('It does not run.')], [problems[code], true]);
    }
  });

  it('has an end: so many of one service and no more', async (t) => {
    const { api, service } = await world(t);
    const open = async () => openConsole(api, service.id, { ticket: await giveTicket(api, service.id) });
    for (let count = 0; count < 20; count++) assert.equal((await (await open()).answered).status, 101);
    assert.equal((await (await open()).answered).status, 429);
    api.console.last.exit(0);
    await eventually(async () => (await (await open()).answered).status === 101);
  });

  it('is in the audit when it begins and when it ends; its ticket is in nothing that the node writes', async (t) => {
    const { api, service, project, replica } = await world(t);
    await api.call('PATCH', `/v1/services/${service.id}/secrets`, { set: { PASS: 'hunter2-hunter2' } });
    const command = ['mysql', '-phunter2-hunter2'];
    const ticket = await giveTicket(api, service.id, { command, tty: false });
    const console = await openConsole(api, service.id, { ticket });
    await console.answered;
    const refused = await openConsole(api, service.id, { ticket });
    await refused.answered;
    await api.clock.advance(12_000);
    api.console.last.exit(3);
    await console.closed;
    await eventually(async () => (await audited(api))[0]?.detail?.startsWith('ended') === true);
    const entries = (await audited(api)).filter(({ route }) => route === '/v1/services/{id}/console/ws');
    const told = entries.map(({ status, detail, username, object, project_id }) =>
      [status, detail, username, object, project_id].join(' | '),
    );
    const who = `root | ${service.id} | ${project.id}`;
    assert.deepEqual(told, [
      `101 | ended after 12 s: exit code 3 | ${who}`,
      `401 |  |  | ${service.id} | `,
      `101 | opened without a terminal in ${replica}: ["mysql","-p***"] | ${who}`,
    ]);
    const all = api.log() + JSON.stringify(await audited(api));
    assert.doesNotMatch(all, /svc_ticket_/);
    assert.doesNotMatch(all, /hunter2/);
  });
});
