/** The bounds of a clone, and what is left of one: nothing. */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openClones } from '../../../controllers/git/clone.ts';
import { systemClock } from '../../../controllers/runtime/system-clock.ts';
import { startGitHost, type GitHost } from '../../support/git-host.ts';
import { listen, processesIn, project } from './scene.ts';

let host: GitHost;
before(async () => {
  host = await startGitHost();
});
after(() => host.stop());

describe('a clone is bounded', () => {
  it('in time: a host that says nothing is given up, and nothing goes on', async (t) => {
    const port = await listen(t, createServer());
    for (const url of [`ssh://git@127.0.0.1:${port}/x.git`, `https://127.0.0.1:${port}/x.git`]) {
      const { clone, left, roots } = await project(t, host, { limits: { ms: 1_500 } });
      await assert.rejects(clone(url, 'main'), { reason: 'CloneTimedOut' });
      assert.deepEqual(await left(), []);
      assert.deepEqual(await processesIn(roots.homes), []);
    }
  });

  it('in bytes and in files', async (t) => {
    await host.commit('large', { 'large.txt': 'x'.repeat(3_000_000) });
    const { clone, left } = await project(t, host, { limits: { bytes: 1_000_000 } });
    await assert.rejects(clone(host.url('large'), 'main'), { reason: 'CloneTooLarge', message: /more than/ });
    assert.deepEqual(await left(), []);
  });

  it('and ends when it is called off', async (t) => {
    const port = await listen(t, createServer());
    const { clone, left, roots } = await project(t, host);
    const stop = new AbortController();
    const cloning = clone(`ssh://git@127.0.0.1:${port}/x.git`, 'main', { signal: stop.signal });
    while ((await processesIn(roots.homes)).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    stop.abort(new Error('called off'));
    await assert.rejects(cloning, /called off/);
    assert.deepEqual(await left(), []);
    assert.deepEqual(await processesIn(roots.homes), []);
  });
});

it('keeps the key to itself, and sweeps what a control plane that was killed has left', async (t) => {
  const port = await listen(t, createServer());
  const { clone, roots, left } = await project(t, host);
  const cloning = clone(`ssh://git@127.0.0.1:${port}/x.git`, 'main').catch((error: unknown) => error);
  const home = join(roots.homes, 'dep_1');
  while ((await processesIn(roots.homes)).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal((await stat(home)).mode & 0o777, 0o700);
  assert.equal((await stat(join(home, 'key'))).mode & 0o777, 0o600);
  assert.match(await readFile(join(home, 'key'), 'utf8'), /PRIVATE KEY/);
  // As the next control plane does, whose predecessor could not clean up.
  await openClones({
    ...{ roots, clock: systemClock, path: '', allow: [] },
    knownHosts: { find: () => Promise.resolve(undefined), pin: () => Promise.resolve() },
    deployKey: () => Promise.resolve(null),
    lookup: () => Promise.resolve([]),
  });
  assert.deepEqual(await left(), []);
  assert.deepEqual(await processesIn(roots.homes), []);
  assert.ok((await cloning) instanceof Error);
});
