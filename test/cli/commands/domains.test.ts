import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Sighting } from '../../../controllers/domain/look.ts';
import type { DomainResource, Page } from '../../../specs/resources.ts';
import { giveMember, giveService, testApi } from '../../support/api.ts';
import { cli, clockOf, golden, listening } from '../../support/cli.ts';
import { elsewhere, here, lookAfterDomains } from '../../support/verifying.ts';

const hostname = 'shop.example.com';

async function world(test: TestContext) {
  const api = await testApi(test);
  const { project, service } = await giveService(api);
  const dns: { seen: Sighting } = { seen: here };
  lookAfterDomains(api, () => dns.seen);
  const url = await listening(api);
  const user = await cli(test, { url, token: api.token, clock: clockOf(api) });
  const domains = async () =>
    (await api.call('GET', `/v1/services/${service.id}/domains`)).json<Page<DomainResource>>().items;
  return { api, url, project, user, dns, domains };
}

describe('svc domains add', () => {
  it('says what to do next', async (test) => {
    const { user, domains } = await world(test);
    assert.deepEqual(await user.svc('domains', 'add', 'Shop.Example.com', '-s', 'shop/web'), {
      code: 0,
      stdout: 'domain/shop.example.com added to shop/web\n',
      stderr:
        "Now point its DNS to this node: an A or AAAA record for shop.example.com with the node's public address.\n" +
        'Then run: svc domains verify shop.example.com -s shop/web\n',
    });
    assert.deepEqual(
      (await domains()).map((domain) => [domain.hostname, domain.status]),
      [[hostname, 'Pending']],
    );
  });

  it('knows the service from .svc', async (test) => {
    const { user, domains } = await world(test);
    await writeFile(join(user.cwd, '.svc'), 'project = "shop"\nservice = "web"\n');
    assert.equal((await user.svc('domains', 'add', hostname)).code, 0);
    assert.equal((await domains()).length, 1);
  });

  it('says what is no hostname, and what is taken', async (test) => {
    const { user } = await world(test);
    const address = await user.svc('domains', 'add', '10.0.0.1', '-s', 'shop/web');
    assert.equal(address.code, 5);
    assert.match(address.stderr, /\/hostname is no hostname: write a name such as shop\.example\.com/);
    await user.svc('domains', 'add', hostname, '-s', 'shop/web');
    const again = await user.svc('domains', 'add', hostname, '-s', 'shop/web');
    assert.equal(again.code, 5);
    assert.match(again.stderr, /The service web has the domain shop\.example\.com already\./);
  });

  it('takes the role Operator', async (test) => {
    const { api, url, project } = await world(test);
    const { token } = await giveMember(api, 'ann', { [project.id]: 'Viewer' });
    const ann = await cli(test, { url, token, clock: clockOf(api) });
    assert.equal((await ann.svc('domains', 'add', hostname, '-s', 'shop/web')).code, 3);
    assert.equal((await ann.svc('domains', 'list', '-s', 'shop/web')).code, 0);
  });
});

describe('svc domains verify', () => {
  it('ends with 1 and what was seen, and with 0 once it leads here', async (test) => {
    const { user, dns } = await world(test);
    await user.svc('domains', 'add', hostname, '-s', 'shop/web');
    dns.seen = elsewhere;
    assert.deepEqual(await user.svc('domains', 'verify', hostname, '-s', 'shop/web'), {
      code: 1,
      stdout: '',
      stderr:
        'svc: DNS leads shop.example.com to 198.51.100.9, which answered with status 404. Point it to this node, then verify it again.\n' +
        '     Try again with: svc domains verify shop.example.com -s shop/web\n',
    });
    dns.seen = here;
    assert.deepEqual(await user.svc('domains', 'verify', 'SHOP.example.com.', '-s', 'shop/web'), {
      code: 0,
      stdout: 'domain/shop.example.com verified; shop/web is served there\n',
      stderr: '',
    });
  });

  it('does not call it a success when one that is verified points elsewhere', async (test) => {
    const { user, dns } = await world(test);
    await user.svc('domains', 'add', hostname, '-s', 'shop/web');
    await user.svc('domains', 'verify', hostname, '-s', 'shop/web');
    dns.seen = elsewhere;
    const astray = await user.svc('domains', 'verify', hostname, '-s', 'shop/web');
    assert.equal(astray.code, 1);
    assert.match(
      astray.stderr,
      /was verified and is still served, but does not point here any more\. DNS leads/,
    );
  });

  it('of a hostname that was not added is not found', async (test) => {
    const { user } = await world(test);
    const missing = await user.svc('domains', 'verify', hostname, '-s', 'shop/web');
    assert.equal(missing.code, 4);
    assert.match(missing.stderr, /Service "shop\/web" has no domain "shop\.example\.com"\./);
  });
});

describe('domains', () => {
  it('are listed with what is wrong with them, of a service and of all', async (test) => {
    const { user, dns } = await world(test);
    await user.svc('domains', 'add', hostname, '-s', 'shop/web');
    dns.seen = { seen: [] };
    await user.svc('domains', 'verify', hostname, '-s', 'shop/web');
    const table = golden((await user.svc('domains', 'list', '-s', 'shop/web')).stdout);
    assert.match(table, /^HOSTNAME +STATUS .* ERROR\nshop\.example\.com +Failed .* DNS has no address for/);
    assert.equal(golden((await user.svc('get', 'domains')).stdout), table);
    assert.equal((await user.svc('get', 'domains', '-o', 'name')).stdout, 'domain/shop.example.com\n');
    const described = await user.svc('describe', 'domain', hostname, '-p', 'shop');
    assert.match(described.stdout, /Status: +Failed\n/);
    assert.match(
      described.stdout,
      /Challenge: +http:\/\/shop\.example\.com\/\.well-known\/service-challenge\//,
    );
    const service = await user.svc('describe', 'service', 'shop/web');
    assert.match(service.stdout, /Domains:\n +HOSTNAME .*\n +shop\.example\.com +Failed/);
  });

  it('are removed at once, and deleted when their name is given', async (test) => {
    const { user, domains } = await world(test);
    await user.svc('domains', 'add', hostname, '-s', 'shop/web');
    assert.deepEqual(await user.svc('domains', 'remove', hostname, '-s', 'shop/web'), {
      ...{ code: 0, stdout: 'domain/shop.example.com removed from shop/web\n', stderr: '' },
    });
    await user.svc('domains', 'add', hostname, '-s', 'shop/web');
    const deleted = await user.svc('delete', 'domain', hostname, '-s', 'shop/web', '--yes');
    // `svc delete` has no -s: the hostname says which.
    assert.equal(deleted.code, 2);
    const gone = await user.svc('delete', 'domain', hostname, '-p', 'shop', '--yes');
    assert.deepEqual([gone.code, gone.stdout], [0, 'domain/shop.example.com deleted\n']);
    assert.deepEqual(await domains(), []);
  });
});
