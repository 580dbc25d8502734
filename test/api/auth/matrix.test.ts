/**
 * Every route that the API has × everybody who may come: as it is declared, and as the documents say (matrix/table.ts). With
 * `SVC_MATRIX=<file>` the statuses that were answered are written there as a table.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, describe, it } from 'node:test';
import type { DeclaredRoute } from '../../../api/plugins/auth.ts';
import type { Problem } from '../../../specs/problem.ts';
import { bearer, testApi, type Method } from '../../support/api.ts';
import { lookAfterDomains } from '../../support/verifying.ts';
import { everybody, principals, type PrincipalName } from './matrix/everybody.ts';
import { openShop, type Shop } from './matrix/shop.ts';
import { table, type Expected, type Right } from './matrix/table.ts';

const api = await testApi({ after });
await api.app.ready();
lookAfterDomains(api);
const people = await everybody(api);
let shops = 0;
const another = () => openShop(api, people, (shops += 1));
const elsewhere = await another();
await api.accounts.putMember({
  ...{ project_id: elsewhere.project, user_id: people.ids['member elsewhere'], role: 'Admin' },
  at: '2030-01-01T00:00:00.000Z',
});

const rows: string[][] = [['route', 'right', ...principals]];
after(async () => {
  const file = process.env['SVC_MATRIX'];
  if (file === undefined) return;
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |`);
  lines.splice(1, 0, `|${' --- |'.repeat(rows[0]?.length ?? 0)}`);
  await writeFile(file, `${lines.join('\n')}\n`);
});

describe('every route', () => {
  const { declaredRoutes } = api.app;

  it('is in the table, and nothing else is', () => {
    const named = declaredRoutes.map(({ method, url }) => `${method === 'HEAD' ? 'GET' : method} ${url}`);
    assert.deepEqual([...new Set(named)].sort(), Object.keys(table).sort());
  });

  for (const route of declaredRoutes) {
    const name = `${route.method} ${route.url}`;
    it(`${name} declares, and does, what the table says`, async () => {
      const expected = table[route.method === 'HEAD' ? `GET ${route.url}` : name];
      assert.ok(expected, 'the table has it');
      const { access } = route;
      assert.equal(typeof access === 'object' ? access.role : access, expected.right);
      const statuses = await walk(route, expected);
      rows.push([name, expected.right, ...principals.map((principal) => String(statuses.get(principal)))]);
    });
  }
});

/** Asks as everybody: first those who are refused, which must change nothing, then the others, each in a new shop. */
async function walk(route: DeclaredRoute, expected: Expected): Promise<Map<PrincipalName, number>> {
  const statuses = new Map<PrincipalName, number>();
  const order = principals.toSorted((a, b) => statusFor(expected, b) - statusFor(expected, a));
  let shop = await another();
  for (const principal of order) {
    const status = statusFor(expected, principal);
    const token = await people.tokenOf(principal);
    const path = await pathOf(route, shop, principal);
    const before = await shop.state();
    const answer = await ask(route, `${path}${expected.query ?? ''}`, expected, shop, token);
    assert.equal(answer.status, status, `${principal}: ${answer.text}`);
    statuses.set(principal, answer.status);
    if (status >= 400) {
      checkRefusal(route, answer, principal);
      assert.equal(await shop.state(), before, `${principal}: a refused request changes nothing`);
    } else {
      if (expected.list && route.method === 'GET') {
        const isThere = answer.text.includes(shop.project) || answer.text.includes(shop.service);
        assert.equal(isThere, principal !== 'member elsewhere', `${principal}: ${answer.text}`);
      }
      if (route.method !== 'GET' && route.method !== 'HEAD') shop = await another();
    }
  }
  return statuses;
}

/** What the documents make of it. */
function statusFor({ right, status }: Expected, principal: PrincipalName): number {
  if (right === 'public' || right === 'ticket') return status;
  if (['anonymous', 'revoked', 'expired'].includes(principal)) return 401;
  if (right === 'any') return status;
  if (right === 'bootstrap') return principal === 'bootstrap' ? status : 403;
  const isWhole = !['bootstrap', 'limited'].includes(principal);
  if (['user', 'holder', 'session'].includes(right)) return isWhole ? status : 403;
  if (principal === 'bootstrap' || principal === 'super-admin') return status;
  return right === 'super-admin' ? 403 : statusForRole(right, status, principal);
}

/** Of a route that asks for a role in a project. */
function statusForRole(right: Right, status: number, principal: PrincipalName): number {
  // What lies in a project that the caller is no member of is not there.
  if (principal === 'member elsewhere') return 404;
  return rank(principal === 'limited' ? 'Viewer' : principal) >= rank(right) ? status : 403;
}

function rank(role: PrincipalName | Right): number {
  return ['Viewer', 'Operator', 'Admin'].indexOf(role);
}

const codes: Readonly<Record<number, string>> = {
  ...{ 401: 'unauthenticated', 403: 'forbidden', 404: 'not_found', 409: 'conflict' },
};

function checkRefusal({ method }: DeclaredRoute, answer: Answered, principal: PrincipalName): void {
  if (answer.status === 401) assert.equal(answer.challenge, 'Bearer', principal);
  if (method === 'HEAD') return;
  assert.equal((JSON.parse(answer.text) as Problem).code, codes[answer.status], principal);
}

async function pathOf({ method, url }: DeclaredRoute, shop: Shop, principal: PrincipalName): Promise<string> {
  const [, , noun = ''] = url.split('/');
  const ids: Readonly<Record<string, string>> = {
    ...{
      projects: shop.project,
      services: shop.service,
      deployments: shop.deployment,
      jobs: shop.job,
      runs: shop.run,
      users: shop.stranger,
    },
    'api-tokens': noun === 'api-tokens' ? await people.apiTokenOf(principal) : '',
  };
  return url
    .replace(':id', ids[noun] ?? '')
    .replace(':username', method === 'PUT' ? shop.stranger : shop.member)
    .replace(':registry_id', shop.registry)
    .replace(':known_host_id', shop.knownHost)
    .replace(':volume_id', shop.volume)
    .replace(':domain_id', shop.domain)
    .replace(/^(.*):token$/, (_, path) => `http://${shop.hostname}${path}${shop.challenge}`);
}

interface Answered {
  status: number;
  text: string;
  challenge: unknown;
}

async function ask(
  { method }: DeclaredRoute,
  url: string,
  { body, archive }: Expected,
  shop: Shop,
  token: string,
): Promise<Answered> {
  const response = await api.app.inject({
    ...{ method: method as Method, url, payloadAsStream: true },
    headers: { ...bearer(token), ...(archive && { 'content-type': 'application/zstd' }) },
    ...(archive ? { payload: Buffer.from('an archive') } : body && { payload: body(shop) }),
  });
  const { statusCode: status, headers } = response;
  // A stream that goes on is left; everything else is read to its end.
  const isStream = String(headers['content-type']).startsWith('text/event-stream');
  if (isStream) response.stream().destroy();
  const text = isStream ? '' : Buffer.concat((await response.stream().toArray()) as Buffer[]).toString();
  return { status, text, challenge: headers['www-authenticate'] };
}
