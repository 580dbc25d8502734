/** Domains on a real node, with real DNS: who gets traffic at a hostname, and from when to when. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DomainResource, Page, ServiceResource } from '../../specs/resources.ts';
import { app, serving, type App } from '../support/apps.ts';
import { startDnsServer, type DnsServer } from '../support/dns-server.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { callApi, createService, fromApi } from '../support/node-api.ts';

const host = 'shop.example.com';
let dns: DnsServer;
let node: TestNode;
const services = new Map<string, ServiceResource>();
const apps: App[] = [];

before(async () => {
  dns = await startDnsServer();
  node = await startNode(({ http }) => [
    ...['--dns-servers', dns.server, '--fetch-allow', '127.0.0.0/8', '--public-http-port', String(http)],
    ...['--control-domain', 'node.example.com', '--apps-domain', 'apps.example.com'],
  ]);
  for (const name of ['web', 'rival']) {
    services.set(name, await createService(node, { name }));
    const made = await app(`demo/${name}`, { Dockerfile: serving, 'www/index.html': name });
    apps.push(made);
    await must(node.svc(['push'], { cwd: made.dir }));
  }
});

after(async () => {
  await node.stop();
  await dns.stop();
  await Promise.all(apps.map((made) => made.remove()));
});

const pathOf = (name: string) => `/v1/services/${services.get(name)?.id ?? ''}/domains`;
const svc = (...args: string[]) => node.svc(['domains', ...args]);
const verify = (name: string) => svc('verify', host, '-s', `demo/${name}`);

async function domainOf(name: string): Promise<DomainResource> {
  const { items } = await fromApi<Page<DomainResource>>(node, 'GET', pathOf(name));
  return items.find(({ hostname }) => hostname === host) ?? assert.fail(`${name} has no ${host}`);
}

async function isServedBy(name: string): Promise<void> {
  await until(`${host} is served by ${name}`, async () => (await node.get(host)).text === name);
}

describe('a domain', () => {
  it('gets no traffic while it is Pending, only its challenge is answered', async () => {
    const { stdout, stderr } = await must(svc('add', 'Shop.Example.com.', '-s', 'demo/web'));
    assert.equal(stdout, `domain/${host} added to demo/web\n`);
    assert.match(stderr, /point its DNS to this node/);
    const { status, challenge } = await domainOf('web');
    assert.equal(status, 'Pending');
    const { pathname } = new URL(challenge.url);
    await until('its challenge is answered', async () => (await node.get(host, pathname)).status === 200);
    assert.equal((await node.get(host, pathname)).text, challenge.token);
    assert.equal((await node.get(host)).status, 404);
    assert.equal((await node.get('other.example.com', pathname)).status, 404);
  });

  it("is never the node's own name, or a name that is none", async () => {
    for (const hostname of ['node.example.com', 'x.apps.example.com', '127.0.0.1', 'localhost']) {
      const answer = await callApi(node, 'POST', pathOf('web'), { hostname });
      assert.equal(answer.status, 422, `${hostname}: ${answer.text}`);
    }
  });

  it('that DNS does not know, or leads elsewhere, is Failed and says so', async () => {
    const unknown = await verify('web');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /DNS has no address for shop\.example\.com\. Give it an A or AAAA record/);

    await dns.point(host, '127.0.0.2', '10.1.2.3');
    const astray = await verify('web');
    assert.equal(astray.code, 1);
    const { status, last_error } = await domainOf('web');
    assert.equal(status, 'Failed');
    assert.match(
      last_error ?? '',
      /^DNS leads shop\.example\.com to 10\.1\.2\.3, which is no public address; and to 127\.0\.0\.2, which refused a connection to port \d+\. Point it to this node/,
    );
    assert.equal((await node.get(host)).status, 404);
  });

  it('that leads to this node is Verified, and its service is served there', async () => {
    await dns.point(host, '127.0.0.1');
    const { stdout } = await must(verify('web'));
    assert.equal(stdout, `domain/${host} verified; demo/web is served there\n`);
    await isServedBy('web');
    const service = await fromApi<ServiceResource>(
      node,
      'GET',
      `/v1/services/${services.get('web')?.id ?? ''}`,
    );
    assert.ok(service.urls.includes(`http://${host}:${node.httpPort}/`));
    const { stdout: table } = await must(node.svc(['get', 'domains', '-s', 'demo/web']));
    assert.match(table, /shop\.example\.com +Verified/);
  });

  it('is held by the service that verified it first', async () => {
    const refused = await svc('add', host, '-s', 'demo/rival');
    assert.equal(refused.code, 5);
    assert.match(refused.stderr, /held by another service/);
  });

  it('stays in service while it points elsewhere, with a condition that says so', async () => {
    await dns.point(host, '127.0.0.2');
    const astray = await verify('web');
    assert.equal(astray.code, 1);
    assert.match(astray.stderr, /still served, but does not point here any more/);
    const { status, conditions } = await domainOf('web');
    assert.deepEqual(
      [status, conditions[0]?.type, conditions[0]?.status],
      ['Verified', 'PointsHere', 'False'],
    );
    assert.equal((await node.get(host)).text, 'web');
    await dns.point(host, '127.0.0.1');
  });

  it('is free once it is removed, and goes to who verifies it then', async () => {
    await must(svc('remove', host, '-s', 'demo/web'));
    await until('it is served by nobody', async () => (await node.get(host)).status === 404);
    await must(svc('add', host, '-s', 'demo/rival'));
    await must(svc('add', host, '-s', 'demo/web'));
    // The challenges of both are answered; only one can have it.
    const runs = await Promise.all(['rival', 'web'].map(async (name) => ({ name, ...(await verify(name)) })));
    assert.deepEqual(runs.map(({ code }) => code).sort(), [0, 1]);
    const winner = runs.find(({ code }) => code === 0)?.name ?? '';
    const loser = runs.find(({ code }) => code === 1);
    assert.match(loser?.stderr ?? '', /Another service of this node has verified shop\.example\.com/);
    await isServedBy(winner);
  });

  it('survives a control plane that is killed, and goes with its service', async () => {
    const holder = (await domainOf('rival')).status === 'Verified' ? 'rival' : 'web';
    await node.kill('SIGKILL');
    assert.equal((await node.get(host)).text, holder);
    await node.start();
    await isServedBy(holder);
    await must(node.svc(['delete', 'service', holder, '-p', 'demo', '--yes']));
    assert.equal((await node.get(host)).status, 404);
    const other = holder === 'web' ? 'rival' : 'web';
    await must(verify(other));
    await isServedBy(other);
  });
});
