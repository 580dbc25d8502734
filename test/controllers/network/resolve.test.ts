import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createResolve, parseServers } from '../../../controllers/network/resolve.ts';
import { startDnsServer, type DnsServer } from '../../support/dns-server.ts';

const never = new AbortController().signal;

describe('addresses of a hostname', () => {
  let dns: DnsServer;
  before(async () => (dns = await startDnsServer()));
  after(() => dns.stop());
  const resolve = (hostname: string) => createResolve([dns.server])(hostname, never);

  it('are what DNS says: IPv4 first, in order', async () => {
    await dns.point('shop.example.com', '2001:db8::1', '203.0.113.9', '203.0.113.7');
    assert.deepEqual(await resolve('shop.example.com'), ['203.0.113.7', '203.0.113.9', '2001:db8::1']);
    await dns.point('six.example.com', '2001:db8::1');
    assert.deepEqual(await resolve('six.example.com'), ['2001:db8::1']);
  });

  it('are none where DNS has none, and not what the hosts file says', async () => {
    assert.deepEqual(await resolve('nothing.example.com'), []);
    assert.deepEqual(await resolve('localhost'), []);
  });

  it('are not known where DNS fails', async () => {
    await dns.fail('broken.example.com');
    await assert.rejects(resolve('broken.example.com'), { code: 'ESERVFAIL' });
    await assert.rejects(createResolve(['127.0.0.1:1'])('a.example.com', never), { code: 'ECONNREFUSED' });
  });

  it('are not waited for once nobody wants them', async () => {
    const gone = new AbortController();
    const asked = createResolve(['192.0.2.1'])('a.example.com', gone.signal);
    gone.abort(new Error('gone'));
    await assert.rejects(asked, { message: 'gone' });
    await assert.rejects(createResolve([])('a.example.com', AbortSignal.abort(new Error('gone'))), {
      message: 'gone',
    });
  });
});

it('resolvers are addresses, with or without a port', () => {
  assert.deepEqual(parseServers(''), []);
  assert.deepEqual(parseServers('192.0.2.53, [2001:db8::53]:5353'), ['192.0.2.53', '[2001:db8::53]:5353']);
  for (const wrong of ['dns.example.com', '192.0.2.53:port', '1.2.3', '192.0.2.53/24'])
    assert.throws(() => parseServers(wrong), /is no resolver/, wrong);
});
