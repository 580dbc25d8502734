/** Certificates that cannot be had: what is said, and who is asked next, and when. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { CertificateState, DomainResource, NodeResource } from '../../specs/resources.ts';
import { startDnsServer, type DnsServer } from '../support/dns-server.ts';
import { startNode, until, type TestNode } from '../support/node.ts';
import { createService, fromApi } from '../support/node-api.ts';
import { startPebble, type Pebble } from '../support/pebble.ts';

const host = 'web.example.test';
const minute = 60_000;

let dns: DnsServer;
let pebble: Pebble;
let node: TestNode;

before(async () => {
  dns = await startDnsServer();
  node = await startNode(async ({ http }) => {
    pebble = await startPebble({ dns: dns.server, httpPort: http });
    return [
      ...['--acme-email', 'ops@example.test', '--acme-ca-file', pebble.caFile],
      // The first is none.
      ...['--acme-directory', `${pebble.directory}/of-nobody,${pebble.directory}`],
      ...['--dns-servers', dns.server, '--public-http-port', String(http), '--fetch-allow', '127.0.0.0/8'],
    ];
  });
});

after(async () => {
  await node.stop();
  await pebble.stop();
  await dns.stop();
});

it('an authority that refuses is followed by the next, and a hostname that it cannot see by a pause', async () => {
  const { acme } = await fromApi<NodeResource>(node, 'GET', '/v1/node');
  assert.equal(acme.enabled, true);
  await dns.point(host, '127.0.0.1');
  const service = await createService(node, { name: 'web' });
  const made = await fromApi<DomainResource>(node, 'POST', `/v1/services/${service.id}/domains`, {
    hostname: host,
  });
  const at = `/v1/services/${service.id}/domains/${made.id}`;
  assert.equal((await fromApi<DomainResource>(node, 'POST', `${at}/verify`, {})).status, 'Verified');
  await dns.fail(host);
  await fromApi(node, 'PATCH', `/v1/services/${service.id}`, { tls_enabled: true });
  const failed = (error: RegExp, limit: number): Promise<CertificateState> =>
    until(
      `it fails with ${error}`,
      async () => {
        const { certificate } = await fromApi<DomainResource>(node, 'GET', at);
        return certificate !== null && error.test(certificate.last_error ?? '') && certificate;
      },
      limit,
    );
  const first = await failed(/The certificate authority refused: it answered with status 404/, 30_000);
  assert.equal(first.status, 'Failed');
  const second = await failed(
    /could not verify that the hostname is served here: .*could not resolve/,
    2 * minute,
  );
  const pause = Date.parse(second.retry_at ?? '') - Date.now();
  assert.ok(pause > 4 * minute && pause < 7 * minute, `a pause of ${pause} ms`);
  assert.match((await node.svc(['describe', 'domain', host, '-p', 'demo'])).stdout, /could not verify/);
});
