import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlPage, problemPage, type PageName } from '../../../ingress/worker/pages.ts';

const statuses: Record<PageName, number> = {
  badRequest: 400,
  unknownHost: 404,
  methodNotAllowed: 405,
  misdirected: 421,
  headersTooMany: 431,
  badGateway: 502,
  starting: 503,
  unavailable: 503,
  stopped: 503,
  badVersion: 505,
};

for (const [name, status] of Object.entries(statuses) as [PageName, number][]) {
  test(`${name} is ${status}, for people and for programs`, () => {
    const [html, problem] = [htmlPage(name), problemPage(name)];
    for (const page of [html, problem]) {
      assert.equal(page.status, status);
      assert.equal(header(page.headers, 'Content-Length'), String(page.body.length));
      assert.equal(header(page.headers, 'Cache-Control'), 'no-store');
      assert.equal(header(page.headers, 'Retry-After') !== undefined, status === 503);
    }
    assert.match(html.body.toString(), /^<!doctype html>/);
    assert.equal(header(problem.headers, 'Content-Type'), 'application/problem+json');
    const body = JSON.parse(problem.body.toString()) as Record<string, unknown>;
    assert.deepEqual(Object.keys(body), ['type', 'title', 'status', 'detail', 'code']);
    assert.equal(body['status'], status);
  });
}

function header(headers: readonly string[], name: string): string | undefined {
  return headers[headers.indexOf(name) + 1 || headers.length];
}
