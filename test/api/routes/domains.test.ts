import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ApiSettings } from '../../../api/context.ts';
import { mostDomains } from '../../../api/desired/domain.ts';
import type { DomainResource, Page, ServiceResource } from '../../../specs/resources.ts';
import { giveMember, giveService, testApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { lookAfterServices } from '../../support/releasing.ts';
import { aDomain, anId, given } from '../../support/store.ts';
import { elsewhere, here, lookAfterDomains } from '../../support/verifying.ts';

interface World {
  api: TestApi;
  service: ServiceResource;
  /** Another service, of another project. */
  other: ServiceResource;
}

async function world(test: TestContext, settings: Partial<ApiSettings> = {}): Promise<World> {
  const api = await testApi(test, { settings });
  const { service } = await giveService(api);
  await api.call('POST', '/v1/projects', { name: 'bank' });
  const body = { project: 'bank', name: 'web', port: 3000 };
  return { api, service, other: (await api.call('POST', '/v1/services', body)).json() };
}

const domainsOf = ({ id }: ServiceResource) => `/v1/services/${id}/domains`;
const attach = (api: TestApi, service: ServiceResource, hostname: string) =>
  api.call('POST', domainsOf(service), { hostname });
const attached = async (...args: Parameters<typeof attach>) => (await attach(...args)).json<DomainResource>();
const verify = (api: TestApi, { service_id, id }: DomainResource) =>
  api.call('POST', `/v1/services/${service_id}/domains/${id}/verify`, {});

describe('a domain', () => {
  it('is Pending under its canonical name, with a challenge', async (test) => {
    const { api, service } = await world(test);
    const answer = await attach(api, service, 'Bücher.Example.COM.');
    const domain = answer.json<DomainResource>();
    assert.equal(answer.status, 201);
    assert.deepEqual(
      [domain.hostname, domain.status, domain.last_error, domain.verified_at, domain.domain_id],
      ['xn--bcher-kva.example.com', 'Pending', null, null, domain.id],
    );
    const { url, token } = domain.challenge;
    assert.match(token, /^[\w-]{43}$/);
    assert.equal(url, `http://xn--bcher-kva.example.com/.well-known/service-challenge/${token}`);
    assert.deepEqual((await api.call('GET', domainsOf(service))).json<Page<DomainResource>>().items, [
      domain,
    ]);
    assert.deepEqual((await api.call('GET', `${domainsOf(service)}/${domain.id}`)).json(), domain);
  });

  it('is fetched at the port where the world reaches the ingress', async (test) => {
    const { api, service } = await world(test, { challengePort: 8080 });
    const { challenge } = await attached(api, service, 'shop.example.com');
    assert.match(challenge.url, /^http:\/\/shop\.example\.com:8080\/\.well-known\//);
  });

  const refused: [hostname: string, message: RegExp][] = [
    ['127.0.0.1', /is no hostname/],
    ['*.example.com', /is a wildcard/],
    ['shop', /has one part only/],
    ['node.example.com', /is the node's own control domain/],
    ['NODE.example.com.', /is the node's own control domain/],
    ['apps.example.com', /lies in apps\.example\.com/],
    ['web.shop.apps.example.com', /lies in apps\.example\.com/],
  ];
  for (const [hostname, message] of refused) {
    it(`is not ${hostname}`, async (test) => {
      const settings = { controlDomain: 'node.example.com', appsDomain: 'apps.example.com' };
      const { api, service } = await world(test, settings);
      const answer = await attach(api, service, hostname);
      assert.equal(answer.status, 422);
      const [error = assert.fail()] = answer.problem().errors ?? [];
      assert.equal(error.path, '/hostname');
      assert.match(error.message, message);
    });
  }

  it('belongs to a service once', async (test) => {
    const { api, service } = await world(test);
    await attach(api, service, 'shop.example.com');
    const again = await attach(api, service, 'SHOP.example.com');
    assert.deepEqual([again.status, again.problem().code], [409, 'conflict']);
  });

  it('is one of at most a hundred of its service', async (test) => {
    const { api, service } = await world(test);
    const rows = Array.from({ length: mostDomains }, (_, n) =>
      aDomain({ id: anId('domain', n), spec: { hostname: `h${n}.example.com`, service_id: service.id } }),
    );
    await given(api.store, ...rows);
    const answer = await attach(api, service, 'shop.example.com');
    assert.equal(answer.status, 413);
    assert.match(answer.problem().detail, /at most 100 domains/);
  });
});

describe('verify', () => {
  it('answers once the verdict is there, and then the service is served at the hostname', async (test) => {
    const { api, service } = await world(test);
    lookAfterDomains(api);
    const domain = await attached(api, service, 'shop.example.com');
    assert.deepEqual((await urlsOf(api, service)).includes('http://shop.example.com/'), false);
    const answer = await verify(api, domain);
    assert.equal(answer.status, 200);
    const { status, verified_at, last_error, conditions } = answer.json<DomainResource>();
    assert.deepEqual([status, last_error, conditions[0]?.status], ['Verified', null, 'True']);
    assert.ok(verified_at !== null);
    assert.equal((await urlsOf(api, service))[0], 'http://shop.example.com/');
  });

  it('answers Failed with what was seen, and may be asked again', async (test) => {
    const { api, service } = await world(test);
    let seen = elsewhere;
    lookAfterDomains(api, () => seen);
    const domain = await attached(api, service, 'shop.example.com');
    const failed = (await verify(api, domain)).json<DomainResource>();
    assert.equal(failed.status, 'Failed');
    assert.match(failed.last_error ?? '', /^DNS leads shop\.example\.com to 198\.51\.100\.9/);
    seen = here;
    assert.equal((await verify(api, domain)).json<DomainResource>().status, 'Verified');
  });

  it('answers 202 when the node has not come to it in half a minute', async (test) => {
    const { api, service } = await world(test);
    const domain = await attached(api, service, 'shop.example.com');
    const answer = verify(api, domain);
    let isAnswered = false;
    void answer.then(() => (isAnswered = true));
    await eventually(async () => (await api.store.get('Domain', domain.id))?.spec.attempt === 1);
    await eventually(async () => {
      await api.clock.advance(30_000);
      return isAnswered;
    });
    assert.deepEqual([(await answer).status, (await answer).json<DomainResource>().status], [202, 'Pending']);
  });

  it('is waited for by nobody once the API closes', async (test) => {
    const { api, service } = await world(test);
    const domain = await attached(api, service, 'shop.example.com');
    const answer = verify(api, domain);
    await eventually(async () => (await api.store.get('Domain', domain.id))?.spec.attempt === 1);
    await api.app.close();
    assert.equal((await answer).status, 202);
  });

  it('gives a hostname to the first of several services, and does not tell the others whose it is', async (test) => {
    const { api, service, other } = await world(test);
    lookAfterDomains(api);
    const [mine, theirs] = [
      await attached(api, service, 'shop.example.com'),
      await attached(api, other, 'shop.example.com'),
    ];
    const verdicts = await Promise.all([verify(api, mine), verify(api, theirs)]);
    const domains = verdicts.map((answer) => answer.json<DomainResource>());
    assert.deepEqual(domains.map(({ status }) => status).sort(), ['Failed', 'Verified']);
    const error = domains.find(({ status }) => status === 'Failed')?.last_error ?? '';
    assert.match(error, /^Another service of this node has verified shop\.example\.com/);
    assert.doesNotMatch(error, /web|bank|svc_|prj_/);
  });
});

describe('a hostname that another service has verified', () => {
  it('is a conflict that does not tell whose it is, until it is let go', async (test) => {
    const { api, service, other } = await world(test);
    lookAfterDomains(api);
    const domain = await attached(api, service, 'shop.example.com');
    await verify(api, domain);
    const refused = await attach(api, other, 'shop.example.com');
    assert.equal(refused.status, 409);
    assert.doesNotMatch(refused.text, /web|bank|svc_|prj_/);
    const path = `${domainsOf(service)}/${domain.id}`;
    assert.equal((await api.call('DELETE', path)).status, 202);
    assert.equal((await attach(api, other, 'shop.example.com')).status, 201);
    await eventually(async () => (await api.call('GET', path)).status === 404);
    assert.deepEqual(await urlsOf(api, service), ['http://web.shop.localhost:8080/']);
  });

  it('is free once that service is deleted', async (test) => {
    const { api, service, other } = await world(test);
    lookAfterDomains(api);
    lookAfterServices(api);
    await verify(api, await attached(api, service, 'shop.example.com'));
    await api.call('DELETE', `/v1/services/${service.id}`);
    await eventually(async () => (await api.call('GET', `/v1/services/${service.id}`)).status === 404);
    assert.deepEqual(await api.store.list('Domain'), []);
    assert.equal((await attach(api, other, 'shop.example.com')).status, 201);
  });
});

describe('the challenge', () => {
  const ask = (api: TestApi, host: string, token: string) =>
    api.app.inject({ url: `/.well-known/service-challenge/${token}`, headers: { host } });

  it('is answered to its own host only, without a token, for as long as the domain is there', async (test) => {
    const { api, service } = await world(test);
    const domain = await attached(api, service, 'shop.example.com');
    const { token } = domain.challenge;
    for (const host of ['shop.example.com', 'SHOP.example.com:8080', 'shop.example.com.']) {
      const answer = await ask(api, host, token);
      assert.deepEqual([answer.statusCode, answer.payload], [200, token], host);
      assert.match(String(answer.headers['content-type']), /^text\/plain/);
    }
    for (const host of ['other.example.com', '127.0.0.1:9400', 'localhost'])
      assert.equal((await ask(api, host, token)).statusCode, 404, host);
    assert.equal((await ask(api, 'shop.example.com', 'another')).statusCode, 404);
    await api.call('DELETE', `${domainsOf(service)}/${domain.id}`);
    assert.equal((await ask(api, 'shop.example.com', token)).statusCode, 404);
  });
});

it('domains of another service are not found below this one', async (test) => {
  const { api, service, other } = await world(test);
  const domain = await attached(api, service, 'shop.example.com');
  const { token } = await giveMember(api, 'ann', { [other.project_id]: 'Admin' });
  const headers = { authorization: `Bearer ${token}` };
  for (const owner of [service, other]) {
    const answer = await api.call('GET', `${domainsOf(owner)}/${domain.id}`, undefined, headers);
    assert.equal(answer.status, 404);
  }
});

async function urlsOf(api: TestApi, { id }: ServiceResource): Promise<string[]> {
  return (await api.call('GET', `/v1/services/${id}`)).json<ServiceResource>().urls;
}
