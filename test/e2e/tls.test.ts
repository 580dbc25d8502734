/** TLS from a domain to a certificate, against a real authority and a real DNS server on loopback. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ingressUser } from '../../ingress/index.ts';
import type { DomainResource, ServiceResource } from '../../specs/resources.ts';
import { app, type App } from '../support/apps.ts';
import { startDnsServer, type DnsServer } from '../support/dns-server.ts';
import { askTls, type TlsAnswer } from '../support/https.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { createService, fromApi } from '../support/node-api.ts';
import { startPebble, type Pebble } from '../support/pebble.ts';

const exec = promisify(execFile);
const host = 'web.example.test';

let dns: DnsServer;
let pebble: Pebble;
let node: TestNode;
let made: App;
let service: ServiceResource;
let domain: DomainResource;

before(async () => {
  dns = await startDnsServer();
  node = await startNode(async ({ http }) => {
    // Half of its life is left when it is renewed; a fifth of all good nonces is refused.
    pebble = await startPebble({ dns: dns.server, httpPort: http, validity: 30, badNonces: 20 });
    return [
      ...['--acme-email', 'ops@example.test', '--acme-directory', pebble.directory],
      ...['--acme-ca-file', pebble.caFile, '--dns-servers', dns.server],
      ...['--public-http-port', String(http), '--fetch-allow', '127.0.0.0/8'],
    ];
  });
  await dns.point(host, '127.0.0.1');
  service = await createService(node, { name: 'web', tls_enabled: true });
  made = await app('demo/web', {
    Dockerfile: 'FROM busybox\nCOPY index.html /www/\nCMD exec httpd -f -p $PORT -h /www\n',
    'index.html': 'hello over tls\n',
  });
  await must(node.svc(['push'], { cwd: made.dir }));
});

after(async () => {
  await node.stop();
  await pebble.stop();
  await dns.stop();
  await made.remove();
});

const at = () => `/v1/services/${service.id}/domains/${domain.id}`;
const current = () => fromApi<DomainResource>(node, 'GET', at());
const secure = async (hostname = host): Promise<TlsAnswer> =>
  askTls(node.httpsPort, hostname, await pebble.root());
const issued = () =>
  until('the certificate is there', async () => {
    const { certificate } = await current();
    return certificate?.status === 'Issued' && certificate;
  });

describe('a domain of a service with TLS', () => {
  it('gets no certificate before it is verified, and says so', async () => {
    domain = await fromApi(node, 'POST', `/v1/services/${service.id}/domains`, { hostname: host });
    const certificate = await until('it says what it waits for', async () => {
      const { certificate: state } = await current();
      return state !== null && state;
    });
    assert.equal(certificate.status, 'Pending');
    assert.match(certificate.message, /once the domain is verified/);
    await assert.rejects(secure(), /unrecognized name/);
  });

  it('gets one once it is verified, although the control plane is killed meanwhile', async () => {
    assert.equal((await fromApi<DomainResource>(node, 'POST', `${at()}/verify`, {})).status, 'Verified');
    for (const pause of [0, 150, 300]) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      await node.kill('SIGKILL');
      await node.start();
    }
    await issued();
    const answer = await until('it is served', async () => secure().catch(() => undefined));
    assert.equal(answer.text.trim(), 'hello over tls');
    assert.equal(answer.certificate.checkHost(host), host);
    const { urls } = await fromApi<ServiceResource>(node, 'GET', `/v1/services/${service.id}`);
    assert.ok(urls.includes(`https://${host}:${node.httpsPort}/`), urls.join(' '));
  });

  it('has its key nowhere in the clear, and in the run directory for the ingress alone', async () => {
    const { stdout } = await exec('grep', ['-rlaE', 'PRIVATE KEY', node.dataDir]).catch(() => ({
      stdout: '',
    }));
    assert.deepEqual(stdout.split('\n').filter(Boolean), []);
    assert.ok(!node.log().includes('PRIVATE KEY'));
    const nodeId = (await readFile(join(node.dataDir, 'node.id'), 'utf8')).trim();
    const directory = join('/run/svc', nodeId, 'certificates');
    const files = await Promise.all((await readdir(directory)).map((name) => stat(join(directory, name))));
    assert.deepEqual(
      files.map(({ mode, uid }) => [mode & 0o777, uid]),
      [[0o600, ingressUser()?.uid]],
    );
    assert.equal((await stat(directory)).mode & 0o777, 0o710);
  });

  it('is renewed in time, and no request fails meanwhile', async () => {
    const before = (await secure()).certificate.serialNumber;
    const failures: string[] = [];
    let answered = 0;
    await until(
      'another certificate is served',
      async () => {
        const answer = await secure().catch((error: unknown) => void failures.push(String(error)));
        if (answer === undefined) return false;
        if (answer.status === 200) answered += 1;
        else failures.push(`${answer.status} ${answer.text}`);
        return answer.certificate.serialNumber !== before;
      },
      60_000,
    );
    assert.deepEqual(failures, []);
    assert.ok(answered > 20, `only ${answered} requests`);
  });

  it('goes on being served while the authority is away, and says what is wrong', async () => {
    await pebble.kill();
    const trouble = await until(
      'it says so',
      async () => {
        const { certificate } = await current();
        return /could not be asked/.test(certificate?.message ?? '') && certificate;
      },
      60_000,
    );
    assert.notEqual(trouble?.status, 'Pending');
    assert.equal(new X509Certificate(await shown()).checkHost(host), host);
    await pebble.start();
  });

  it('loses its certificate with its TLS', async () => {
    await fromApi(node, 'PATCH', `/v1/services/${service.id}`, { tls_enabled: false });
    await until('handshakes are refused', () =>
      shown().then(
        () => false,
        (error: unknown) => String(error).includes('unrecognized name'),
      ),
    );
    assert.equal((await current()).certificate, null);
  });
});

/** PEM of what is shown, whoever signed it and however old it is. */
async function shown(): Promise<string> {
  return (await askTls(node.httpsPort, host, undefined)).certificate.toString();
}
