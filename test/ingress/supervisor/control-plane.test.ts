/** What a control plane that is killed, upgraded or lied to means for traffic: nothing. */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { findSurvivors } from '../../../ingress/supervisor/survivors.ts';
import { ask, startLoad } from '../support/client.ts';
import { currentProgram } from '../../../ingress/supervisor/program.ts';
import { bridgePid, controlPlane, flow, kill, web } from '../support/control-planes.ts';
import { collectLog, serve, startIngress } from '../support/ingresses.ts';
import { isAlive, sandbox, until } from '../support/sandbox.ts';

test('killed: traffic goes on, the next one takes over the same processes', async (t) => {
  const place = await sandbox(t);
  const routes = await web(t, place, 'r');
  const { child, workers, revision } = await controlPlane(t, { place, workers: 2, routes });
  const load = startLoad(t, place.port, 'web.test', 8);
  await flow(load, 200);
  await kill(child);
  await flow(load, 500);
  const { log, lines } = collectLog();
  const ingress = await startIngress(t, place, { workers: 2, log });
  assert.deepEqual(
    ingress
      .workers()
      .map(({ pid }) => pid)
      .sort(),
    workers.map(({ pid }) => pid).sort(),
  );
  assert.equal(lines.filter(({ message }) => message === 'ingress process taken over').length, 3);
  await until('it knows what they serve', () => ingress.applied()?.revision === revision);
  await flow(load, 200);
  await serve(ingress, await web(t, place, 'next'));
  await until('the first is idle', () => ingress.isIdle('r'));
  await flow(load, 200);
  await load.stop();
  assert.deepEqual(load.failures, []);
});

test('upgraded: new processes are there before old ones go, and no request fails', async (t) => {
  const place = await sandbox(t);
  const routes = await web(t, place, 'r');
  const { child, workers } = await controlPlane(t, { place, workers: 2, routes });
  const bridge = bridgePid(place);
  const load = startLoad(t, place.port, 'web.test', 8);
  await flow(load, 200);
  await kill(child);
  const program = { ...currentProgram(), version: 'another' };
  const ingress = await startIngress(t, place, { workers: 2, program });
  const old = [...workers.map(({ pid }) => pid), bridge];
  await until('the old ones are gone', () => !old.some(isAlive));
  await flow(load, 200);
  await load.stop();
  assert.deepEqual(load.failures, []);
  assert.equal(ingress.workers().length, 2);
});

test('killed while a worker is being replaced: the next one finishes it', async (t) => {
  const place = await sandbox(t);
  const routes = await web(t, place, 'r');
  const { child, workers } = await controlPlane(t, { place, workers: 2, routes });
  const [victim] = workers;
  process.kill(victim?.pid ?? 0, 'SIGKILL');
  await kill(child);
  const ingress = await startIngress(t, place, { workers: 2 });
  await until('all serve', () => ingress.workers().length === 2 && ingress.applied() !== undefined);
  assert.equal((await ask(place.port, 'web.test')).body, 'r');
  assert.equal(findSurvivors(place.runDir).length, 3);
});

test('a stranger on its socket changes nothing', async (t) => {
  const place = await sandbox(t);
  const ingress = await startIngress(t, place);
  const path = join(place.runDir, 'control.sock');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const hello = {
    type: 'hello',
    protocol: 1,
    program: '',
    role: 'worker',
    slot: 0,
    pid: process.pid,
    revision: 99,
    busy: [],
    draining: false,
  };
  for (const line of [
    JSON.stringify(hello),
    '{"type":"applied","revision":9,"busy":[]}',
    'nonsense',
    'x'.repeat(5_000_000),
  ]) {
    const socket = connect(path);
    socket.on('error', () => socket.destroy());
    socket.write(`${line}\n`);
    await new Promise((resolve) => socket.resume().once('close', resolve));
  }
  assert.equal(ingress.workers().length, 1);
  assert.equal(await serve(ingress, await web(t, place, 'r')), 1);
});
