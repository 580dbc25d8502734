/** Certificates on their way to real workers: who may read them, how long they stay, and sessions across workers. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { certificatePath, certificatesDir } from '../../../ingress/certificate-files.ts';
import type { CertificatePair } from '../../../ingress/index.ts';
import { ingressUser } from '../../../ingress/run-dir.ts';
import { makePair } from '../../support/certificates.ts';
import { freePort } from '../../support/free-port.ts';
import { makeIngress, serve, startIngress } from '../support/ingresses.ts';
import { httpReplica, routesTo } from '../support/replicas.ts';
import { sandbox, until } from '../support/sandbox.ts';
import { askOver, nextSession, shake } from '../support/tls-client.ts';

async function scene(t: TestContext, workers = 1) {
  const place = await sandbox(t);
  const tlsPort = await freePort();
  const settings = { workers, listenTls: [`127.0.0.1:${tlsPort}`] };
  const ingress = await startIngress(t, place, settings);
  const path = join(place.runDir, 'web.sock');
  await httpReplica(t, path, (_req, res) => res.end('hello'));
  const routes = (id: string) => routesTo({ web: { a: path } }, { certificates: { 'web.test': id } });
  return { ...place, settings, tlsPort, ingress, routes };
}

const ids = (runDir: string): string[] => readdirSync(certificatesDir(runDir)).sort();

test('workers serve what was installed, and nobody else may read it', async (t) => {
  const { ingress, runDir, tlsPort, routes } = await scene(t);
  const web = await makePair('web.test');
  await ingress.installCertificate('web.1', web);
  await serve(ingress, routes('web.1'));
  const { socket } = await shake(t, tlsPort, 'web.test', { ca: web.chain });
  assert.match(await askOver(socket, 'web.test'), /hello$/);
  const { mode, uid } = statSync(certificatePath(runDir, 'web.1'));
  assert.deepEqual([mode & 0o777, uid], [0o600, ingressUser()?.uid ?? process.getuid?.()]);
});

test('one that no snapshot names goes, but not before every worker serves the next', async (t) => {
  const { ingress, runDir, routes } = await scene(t);
  const pairs: CertificatePair[] = await Promise.all([makePair('web.test'), makePair('web.test')]);
  const [first, second] = pairs;
  assert.ok(first && second);
  await ingress.installCertificate('web.1', first);
  await serve(ingress, routes('web.1'));
  await ingress.installCertificate('web.2', second);
  assert.deepEqual(ids(runDir), ['web.1.pem', 'web.2.pem']);
  await serve(ingress, routes('web.2'));
  await until('the first is gone', () => ids(runDir).join() === 'web.2.pem');
  assert.equal(ingress.hasCertificate('web.1'), false);
  assert.equal(ingress.hasCertificate('web.2'), true);
});

test('an id cannot name a file elsewhere', async (t) => {
  const { ingress, runDir } = await scene(t);
  const pair = { chain: 'x', key: 'y' };
  for (const id of ['../web', 'a/b', '.hidden', '', 'a\0b'])
    await assert.rejects(ingress.installCertificate(id, pair), /is no id of a certificate/);
  assert.ok(!existsSync(join(runDir, 'web.pem')));
});

test('what an earlier control plane installed is served on, and found again', async (t) => {
  const { ingress, tlsPort, routes, settings, ...place } = await scene(t);
  const web = await makePair('web.test');
  await ingress.installCertificate('web.1', web);
  await serve(ingress, routes('web.1'));
  await ingress.close();
  const next = makeIngress(place, settings);
  t.after(() => next.close());
  await next.start();
  assert.equal(next.hasCertificate('web.1'), true);
  const { socket } = await shake(t, tlsPort, 'web.test', { ca: web.chain });
  assert.match(await askOver(socket, 'web.test'), /hello$/);
});

test('a session resumes whichever worker the next connection goes to', async (t) => {
  const { ingress, tlsPort, routes } = await scene(t, 3);
  const web = await makePair('web.test');
  await ingress.installCertificate('web.1', web);
  await serve(ingress, routes('web.1'));
  const { socket } = await shake(t, tlsPort, 'web.test', { ca: web.chain });
  const [session] = await Promise.all([nextSession(socket), askOver(socket, 'web.test')]);
  const again = Array.from({ length: 12 }, () => shake(t, tlsPort, 'web.test', { ca: web.chain, session }));
  assert.deepEqual(new Set((await Promise.all(again)).map(({ reused }) => reused)), new Set([true]));
});
