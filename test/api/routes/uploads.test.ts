import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { ProblemError } from '../../../specs/problem.ts';
import type { UploadResource } from '../../../specs/resources.ts';
import { eventually } from '../../support/eventually.ts';
import { giveService, testApi, type TestApi } from '../../support/api.ts';

/** Begins an upload on a real connection. */
async function begin(
  api: TestApi,
  serviceId: string,
  headers: Record<string, string> = {},
): Promise<ClientRequest> {
  if (!api.app.server.listening) await api.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = api.app.server.address() as AddressInfo;
  return request({
    ...{ port, host: '127.0.0.1', method: 'POST', path: `/v1/services/${serviceId}/uploads` },
    headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/zstd', ...headers },
  });
}

async function answerOf(
  upload: ClientRequest,
): Promise<{ status: number; body: UploadResource & { code: string; detail: string } }> {
  const [response] = (await once(upload, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: JSON.parse(await text(response)) as never };
}

async function nothingLeft(api: TestApi): Promise<void> {
  await eventually(() => api.uploads.staged.size === 0);
  assert.deepEqual(await api.store.list('Upload'), []);
}

describe('POST /v1/services/{id}/uploads', () => {
  it('stages what it is sent, far beyond the limit of JSON bodies', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const bytes = randomBytes(3_000_000);
    const upload = await begin(api, service.id);
    upload.end(bytes);
    const { status, body } = await answerOf(upload);
    assert.equal(status, 201);
    const { upload_id, created_at, ...rest } = body;
    assert.match(upload_id, /^upl_/);
    assert.ok(created_at);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    assert.deepEqual(rest, {
      service_id: service.id,
      bytes: 3_000_000,
      unpacked_bytes: 3_000_000,
      entries: 1,
      sha256,
    } as never);
    assert.deepEqual(api.uploads.staged.get(upload_id), bytes);
    assert.equal((await api.store.get('Upload', upload_id))?.owner, service.id);
  });

  for (const type of ['application/zstd', 'application/x-tar+zstd', 'Application/Octet-Stream; x=1']) {
    it(`takes ${type}`, async (t) => {
      const api = await testApi(t);
      const { service } = await giveService(api);
      const upload = await begin(api, service.id, { 'content-type': type });
      upload.end('x');
      assert.equal((await answerOf(upload)).status, 201);
    });
  }

  for (const type of ['application/json', 'application/gzip', 'application/zstdx', '']) {
    it(`refuses ${type || 'no content type'} without beginning`, async (t) => {
      const api = await testApi(t);
      const { service } = await giveService(api);
      const upload = await begin(api, service.id, { 'content-type': type });
      if (type === '') upload.removeHeader('content-type');
      upload.end('{}');
      const { status, body } = await answerOf(upload);
      assert.deepEqual([status, body.code], [400, 'bad_request']);
      assert.deepEqual(api.uploads.begun, []);
    });
  }

  it('answers why an archive is refused, on the same connection, while the client still sends', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    api.uploads.check = (bytes) => {
      if (bytes > 100_000) throw new ProblemError('too_large', 'The archive is larger than 100 kB.');
    };
    const upload = await begin(api, service.id);
    const answer = answerOf(upload);
    const chunk = randomBytes(50_000);
    for (let i = 0; i < 40; i++) if (!upload.write(chunk)) await once(upload, 'drain');
    upload.end();
    const { status, body } = await answer;
    assert.deepEqual(
      [status, body.code, body.detail],
      [413, 'too_large', 'The archive is larger than 100 kB.'],
    );
    upload.socket?.destroy();
    await nothingLeft(api);
  });

  it('leaves nothing behind when the client goes away', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const upload = await begin(api, service.id);
    upload.on('error', () => undefined);
    upload.write('a part of');
    await eventually(() => [...api.uploads.staged.values()].some((bytes) => bytes.length > 0));
    upload.destroy();
    await nothingLeft(api);
    assert.ok(!api.log().includes('"level":50'), 'a client that leaves is no failure of the node');
  });

  it('leaves nothing behind when the service is deleted meanwhile', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const upload = await begin(api, service.id);
    upload.write('a part of');
    await eventually(() => api.uploads.staged.size === 1);
    await api.store.write((writer) => writer.markDeleted('Service', service.id));
    upload.end();
    assert.equal((await answerOf(upload)).status, 409);
    await nothingLeft(api);
  });

  it('ends with the node, with an answer', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const upload = await begin(api, service.id);
    upload.write('a part of');
    await eventually(() => api.uploads.staged.size === 1);
    const answer = answerOf(upload);
    const closed = api.app.close();
    assert.deepEqual([(await answer).status, (await answer).body.code], [503, 'unavailable']);
    upload.destroy();
    await closed;
    await nothingLeft(api);
  });

  it('reads nothing for a service that is not there', async (t) => {
    const api = await testApi(t);
    const upload = await begin(api, 'svc_none');
    upload.end('x');
    assert.equal((await answerOf(upload)).status, 404);
    assert.deepEqual(api.uploads.begun, []);
  });
});
