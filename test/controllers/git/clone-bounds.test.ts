/** The bounds of a clone, and what is left of one: nothing. */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openClones } from '../../../controllers/git/clone.ts';
import { systemClock } from '../../../controllers/runtime/system-clock.ts';
import { startGitHost, type GitHost } from '../../support/git-host.ts';
import { writeTree } from '../../support/git-repository.ts';
import { listen, namesIn, processesIn, project } from './scene.ts';

let host: GitHost;
before(async () => {
  host = await startGitHost();
});
after(() => host.stop());

/** A repository whose tree holds `width` times the same tree, and so on: `width ** levels` files. */
async function nest(name: string, { levels, width }: { levels: number; width: number }) {
  await host.commit(name, { file: 'x' });
  const repository = new URL(host.url(name)).pathname;
  let id = await host.git(name, ['rev-parse', 'main:file']);
  for (let level = 0; level < levels; level++) {
    const mode = level === 0 ? '100644' : '40000';
    const entries = Array.from({ length: width }, (_, index) => ({
      mode,
      name: Buffer.from(`${index}`),
      id,
    }));
    id = await writeTree(repository, entries);
  }
  const commit = await host.git(name, ['commit-tree', '-m', 'nested', id]);
  await host.git(name, ['update-ref', 'refs/heads/main', commit]);
}

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

  it('in bytes', async (t) => {
    await host.commit('large', { 'large.txt': 'x'.repeat(3_000_000) });
    const { clone, left } = await project(t, host, { limits: { bytes: 1_000_000 } });
    await assert.rejects(clone(host.url('large'), 'main'), { reason: 'CloneTooLarge', message: /more than/ });
    assert.deepEqual(await left(), []);
  });

  it('in files, before git holds the names of all of them in memory', async (t) => {
    // A thousand million files, in ten trees.
    await nest('bomb', { levels: 9, width: 10 });
    const { clone, left } = await project(t, host);
    await assert.rejects(clone(host.url('bomb'), 'main'), { reason: 'CloneTooLarge' });
    // A thousand, of 999 that are allowed.
    await nest('many', { levels: 3, width: 10 });
    const few = await project(t, host, { limits: { files: 999 } });
    await assert.rejects(few.clone(host.url('many'), 'main'), {
      ...{ reason: 'CloneTooLarge', message: /has more than 999 files/ },
    });
    const enough = await project(t, host, { limits: { files: 1_000 } });
    const { archives, remove } = await enough.clone(host.url('many'), 'main');
    assert.equal((await namesIn(archives)).filter((name) => !name.endsWith('/')).length, 1_000);
    await remove();
    assert.deepEqual([...(await left()), ...(await few.left()), ...(await enough.left())], []);
  });

  it('in levels: a tree that is too deep for git is a verdict', async (t) => {
    await nest('deep', { levels: 6_000, width: 1 });
    const { clone, left } = await project(t, host);
    await assert.rejects(clone(host.url('deep'), 'main'), {
      // Newer ones say so themselves, and to the host already (core.maxTreeDepth).
      ...{
        name: 'GitError',
        reason: 'CloneFailed',
        message: /cannot be (?:read|cloned).*(?:signal|depth|too deep)/,
      },
    });
    assert.deepEqual(await left(), []);
  });

  it('in memory', async (t) => {
    const port = await listen(t, createServer());
    const { clone, left, roots } = await project(t, host, { limits: { memory: 1 } });
    await assert.rejects(clone(`ssh://git@127.0.0.1:${port}/x.git`, 'main'), {
      ...{ reason: 'CloneTooLarge', message: /of memory/ },
    });
    assert.deepEqual(await left(), []);
    assert.deepEqual(await processesIn(roots.homes), []);
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
