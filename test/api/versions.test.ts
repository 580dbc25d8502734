import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { ifMatch } from '../../api/versions.ts';
import { ProblemError } from '../../specs/problem.ts';
import { giveMember, giveService, testApi } from '../support/api.ts';

function version(header: string | undefined, current?: { version: number }): number | undefined {
  return ifMatch({ headers: { 'if-match': header } } as unknown as FastifyRequest, current);
}

describe('If-Match', () => {
  for (const [header, expected] of [
    [undefined, undefined],
    ['*', undefined],
    [' * ', undefined],
    ['"7"', 7],
    ['"7", "8"', 7],
    ['"8" ,"7"', 8],
    [',"7",,', 7],
    ['W/"1", "7"', 7],
    ['"other", "7"', 7],
  ] as const) {
    it(`${String(header)} means ${String(expected)}`, () => assert.equal(version(header), expected));
  }

  it('with several tags means the current version, if it is among them', () => {
    assert.equal(version('"1", "7", "9"', { version: 7 }), 7);
    assert.equal(version('"1", "9"', { version: 7 }), 1);
  });

  for (const header of [
    '',
    '7',
    'W/"7"',
    '"seven"',
    '"7',
    '"7" "8"',
    '*, "7"',
    '"1e3"',
    '""',
    `"${'9'.repeat(20)}"`,
  ]) {
    it(`${JSON.stringify(header)} never matches`, () => {
      assert.throws(
        () => version(header),
        (error) => error instanceof ProblemError && error.code === 'precondition_failed',
      );
    });
  }

  it('guards a write against one that came before', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const url = `/v1/services/${service.id}`;
    const etag = String((await api.call('GET', url)).headers['etag']);
    const first = await api.call('PATCH', url, { port: 81 }, { 'if-match': etag });
    assert.equal(first.status, 202);
    const late = await api.call('PATCH', url, { port: 82 }, { 'if-match': etag });
    assert.deepEqual([late.status, late.problem().code], [412, 'precondition_failed']);
    const both = `${etag}, ${String(first.headers['etag'])}`;
    assert.equal((await api.call('PATCH', url, { port: 83 }, { 'if-match': both })).status, 202);
  });

  it('is refused where there is no version that it could mean', async (t) => {
    const api = await testApi(t);
    const { project } = await giveService(api);
    await giveMember(api, 'ann', {});
    const url = `/v1/projects/${project.id}/members/ann`;
    const put = (tag: string) => api.call('PUT', url, { role: 'Viewer' }, { 'if-match': tag });
    assert.equal((await put('"1"')).status, 412);
    assert.equal((await put('*')).status, 201);
  });
});
