/** Processes as the user of the ingress sees them: started, killed, hung, too many. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { ingressUser } from '../../../ingress/index.ts';
import { findSurvivors } from '../../../ingress/supervisor/survivors.ts';
import { ask } from '../support/client.ts';
import { bridgePid, controlPlane, kill, web } from '../support/control-planes.ts';
import { collectLog, makeIngress, serve, startIngress } from '../support/ingresses.ts';
import { isAlive, sandbox, until } from '../support/sandbox.ts';

test('listen when started, become unprivileged, and are gone when closed', async (t) => {
  const place = await sandbox(t);
  const ingress = makeIngress(place, { workers: 2 });
  await ingress.start();
  const pids = findSurvivors(place.runDir).map(({ pid }) => pid);
  assert.equal(pids.length, 3);
  assert.deepEqual(
    ingress
      .workers()
      .map(({ slot, revision }) => [slot, revision])
      .sort(),
    [
      [0, 0],
      [1, 0],
    ],
  );
  assert.equal((await ask(place.port, 'web.test')).status, 503);
  const uid = ingressUser()?.uid ?? process.getuid?.();
  for (const pid of pids) {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    assert.match(status, new RegExp(`^Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}$`, 'm'));
    if (ingressUser() !== undefined) assert.match(status, /^CapEff:\t0+$/m);
    if (ingressUser() !== undefined) assert.match(status, /^Groups:\t\s*$/m);
    assert.doesNotMatch(readFileSync(`/proc/${pid}/cmdline`, 'utf8'), /token|secret/i);
  }
  await ingress.close();
  assert.deepEqual(pids.filter(isAlive), []);
  await assert.rejects(ask(place.port, 'web.test'), { code: 'ECONNREFUSED' });
  await assert.rejects(stat(join(place.runDir, 'control.sock')), { code: 'ENOENT' });
});

test('a port that somebody has is a refusal that says so, and nothing stays behind', async (t) => {
  const place = await sandbox(t);
  const taken = createServer().listen(place.port, '127.0.0.1');
  t.after(() => taken.close());
  await once(taken, 'listening');
  await assert.rejects(makeIngress(place).start(), /cannot listen on 127\.0\.0\.1:\d+: another program does/);
  assert.deepEqual(findSurvivors(place.runDir), []);
});

test('an address that is none of this machine is a refusal too', async (t) => {
  const place = await sandbox(t);
  await assert.rejects(
    makeIngress(place, { listen: ['192.0.2.1:80'] }).start(),
    /cannot listen on 192\.0\.2\.1:80/,
  );
  assert.deepEqual(findSurvivors(place.runDir), []);
});

test('a killed worker is replaced while the others serve; so is the bridge', async (t) => {
  const place = await sandbox(t);
  const { log, lines } = collectLog();
  const ingress = await startIngress(t, place, { workers: 2, log });
  await serve(ingress, await web(t, place, 'r'));
  for (const victim of [ingress.workers()[0]?.pid ?? 0, bridgePid(place)]) {
    process.kill(victim, 'SIGKILL');
    await until('it is noticed', () =>
      lines.some(({ message, fields }) => message === 'ingress process ended' && fields['pid'] === victim),
    );
    await until(
      'another is there',
      () => ingress.workers().length === 2 && ingress.applied()?.revision === 1,
    );
    assert.equal((await ask(place.port, 'web.test')).body, 'r');
  }
});

test('one that hangs and acknowledges nothing is killed and replaced', async (t) => {
  const place = await sandbox(t);
  const ingress = await startIngress(t, place, { workers: 2, limits: { ack: 400 } });
  const routes = await web(t, place, 'r');
  await serve(ingress, routes);
  const hung = ingress.workers()[0]?.pid ?? 0;
  process.kill(hung, 'SIGSTOP');
  const revision = await ingress.publish(routes);
  assert.equal(ingress.applied()?.revision, revision - 1);
  await until(
    'it is replaced',
    () => ingress.applied()?.revision === revision && ingress.workers().length === 2,
  );
  assert.equal(isAlive(hung), false);
});

test('fewer workers: those too many are drained', async (t) => {
  const place = await sandbox(t);
  const { child, workers } = await controlPlane(t, { place, workers: 3, routes: await web(t, place, 'r') });
  await kill(child);
  const ingress = await startIngress(t, place, { workers: 1 });
  await until('two are gone', () => workers.filter(({ pid }) => isAlive(pid)).length === 1);
  assert.deepEqual(
    ingress.workers().map(({ slot }) => slot),
    [0],
  );
});
