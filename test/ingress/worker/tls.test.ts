import assert from 'node:assert/strict';
import { before, test, type TestContext } from 'node:test';
import { connect } from 'node:net';
import type { CertificatePair } from '../../../ingress/index.ts';
import { makePair } from '../../support/certificates.ts';
import { ask } from '../support/client.ts';
import { runDataPath, type Running } from '../support/data-paths.ts';
import { httpReplica, routesTo } from '../support/replicas.ts';
import { until } from '../support/sandbox.ts';
import { askOver, nextSession, shake } from '../support/tls-client.ts';

const pem = ({ chain, key }: CertificatePair): string => `${chain}${key}`;
let [web, renewed, other]: CertificatePair[] = [];

before(async () => {
  [web, renewed, other] = await Promise.all(
    ['web.test', 'web.test', 'other.test'].map((name) => makePair(name)),
  );
});

/** `web.test` and `other.test`, each with a certificate; their replica says how it was asked. */
async function scene(t: TestContext) {
  const running = await runDataPath(t);
  const path = `${running.runDir}/web.sock`;
  await httpReplica(t, path, (req, res) =>
    res.end(`${String(req.headers['x-forwarded-proto'])} ${req.headers.host}`),
  );
  assert.ok(web && renewed && other);
  running.pairs.set('web.1', pem(web)).set('web.2', pem(renewed)).set('other.1', pem(other));
  const serve = (certificates: Record<string, string>): void =>
    running.route(routesTo({ web: { a: path }, other: { b: path } }, { certificates }));
  serve({ 'web.test': 'web.1', 'other.test': 'other.1' });
  return { ...running, serve, ca: [web.chain, renewed.chain, other.chain] };
}

function alertOf(handshake: Promise<unknown>): Promise<string> {
  return handshake.then(
    () => 'none',
    (error: unknown) => (error as NodeJS.ErrnoException).code ?? String(error),
  );
}

test('each hostname is shown its own certificate, and the replica is told of TLS', async (t) => {
  const { tlsPort, port, ca } = await scene(t);
  for (const host of ['web.test', 'other.test']) {
    const { socket } = await shake(t, tlsPort, host, { ca });
    assert.equal(socket.getPeerCertificate().subject.CN, host);
    assert.equal(socket.alpnProtocol, false);
    assert.match(await askOver(socket, host), new RegExp(`https ${host}$`));
  }
  assert.equal(
    (await ask(port, 'web.test', { headers: { 'x-forwarded-proto': 'https' } })).body,
    'http web.test',
  );
});

test('a handshake for a hostname without a certificate, or for none, is refused', async (t) => {
  const { tlsPort, ca } = await scene(t);
  assert.equal(await alertOf(shake(t, tlsPort, 'nobody.test', { ca })), 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME');
  assert.equal(
    await alertOf(shake(t, tlsPort, 'nobody.test', { ca, maxVersion: 'TLSv1.2' })),
    'ERR_SSL_TLSV1_UNRECOGNIZED_NAME',
  );
  assert.equal(
    await alertOf(shake(t, tlsPort, `${'a.'.repeat(120)}test`, { ca })),
    'ERR_SSL_TLSV1_UNRECOGNIZED_NAME',
  );
  assert.equal(await alertOf(shake(t, tlsPort, '', { ca })), 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE');
});

test('only HTTP/1.1 is agreed on, and nothing below TLS 1.2', async (t) => {
  const { tlsPort, ca } = await scene(t);
  const both = await shake(t, tlsPort, 'web.test', { ca, ALPNProtocols: ['h2', 'http/1.1'] });
  assert.equal(both.socket.alpnProtocol, 'http/1.1');
  assert.equal(
    await alertOf(shake(t, tlsPort, 'web.test', { ca, ALPNProtocols: ['h2'] })),
    'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
  );
  const old = { ca, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  assert.equal(await alertOf(shake(t, tlsPort, 'web.test', old)), 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
  const cbc = { ca, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' } as const;
  assert.equal(await alertOf(shake(t, tlsPort, 'web.test', cbc)), 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE');
});

test('a request for another host than the handshake was for is misdirected', async (t) => {
  const { tlsPort, ca } = await scene(t);
  const { socket } = await shake(t, tlsPort, 'web.test', { ca });
  assert.match(await askOver(socket, 'other.test'), /^HTTP\/1\.1 421 /);
  assert.match(await askOver(socket, 'WEB.test.'), /^HTTP\/1\.1 200 /);
});

test('a renewed certificate is shown to new connections, and open ones go on', async (t) => {
  const { tlsPort, ca, serve } = await scene(t);
  const before = await shake(t, tlsPort, 'web.test', { ca });
  assert.match(await askOver(before.socket, 'web.test'), /^HTTP\/1\.1 200 /);
  serve({ 'web.test': 'web.2' });
  const after = await shake(t, tlsPort, 'web.test', { ca });
  assert.notEqual(after.fingerprint, before.fingerprint);
  assert.match(await askOver(before.socket, 'web.test'), /^HTTP\/1\.1 200 /);
  assert.equal(await alertOf(shake(t, tlsPort, 'other.test', { ca })), 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME');
});

test('a certificate that is not there yet is asked for again at the next handshake', async (t) => {
  const { tlsPort, ca, serve, pairs, reports } = await scene(t);
  serve({ 'web.test': 'web.3' });
  assert.equal(await alertOf(shake(t, tlsPort, 'web.test', { ca })), 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME');
  assert.deepEqual(reports, ['certificate is unusable']);
  assert.ok(renewed);
  pairs.set('web.3', pem(renewed));
  const { socket } = await shake(t, tlsPort, 'web.test', { ca });
  assert.match(await askOver(socket, 'web.test'), /^HTTP\/1\.1 200 /);
});

test('a session resumes at any worker that has the same ticket keys', async (t) => {
  const [one, two] = [await scene(t), await scene(t)];
  const resumed = async (from: Running, to: Running): Promise<boolean> => {
    const { socket } = await shake(t, from.tlsPort, 'web.test', { ca: one.ca });
    const [session] = await Promise.all([nextSession(socket), askOver(socket, 'web.test')]);
    return (await shake(t, to.tlsPort, 'web.test', { ca: one.ca, session })).reused;
  };
  assert.equal(await resumed(one, two), false);
  for (const worker of [one, two]) worker.dataPath.tickets?.(Buffer.alloc(48, 7));
  assert.equal(await resumed(one, two), true);
  two.dataPath.tickets?.(Buffer.alloc(48, 8));
  assert.equal(await resumed(one, two), false);
});

test('ten thousand certificates cost nothing until somebody asks for one', async (t) => {
  const { tlsPort, ca, route, pairs } = await scene(t);
  assert.ok(web);
  let read = 0;
  const get = pairs.get.bind(pairs);
  pairs.get = (id) => {
    read += 1;
    return get(id);
  };
  const certificates = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, n) => [`h${n}.test`, `many.${n}`]),
  );
  route(routesTo({}, { certificates: { ...certificates, 'web.test': 'web.1' } }));
  assert.equal(read, 0);
  await shake(t, tlsPort, 'web.test', { ca });
  await shake(t, tlsPort, 'web.test', { ca });
  assert.equal(read, 1);
});

test('a client that never finishes its handshake is let go, and holds up nobody', async (t) => {
  const { tlsPort, ca } = await scene(t);
  const silent = connect(tlsPort, '127.0.0.1');
  t.after(() => silent.destroy());
  let closed = false;
  silent.on('error', () => undefined).on('close', () => (closed = true));
  const { socket } = await shake(t, tlsPort, 'web.test', { ca });
  assert.match(await askOver(socket, 'web.test'), /^HTTP\/1\.1 200 /);
  await until('the silent one is let go', () => closed, 20_000);
});
