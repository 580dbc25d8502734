import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { socketDirs } from '../../../controllers/replica/socket-dir.ts';
import { scratchDir } from '../../support/archives.ts';

async function prepared(test: TestContext) {
  const root = await scratchDir(test);
  const dirs = socketDirs(root);
  await dirs.prepare('rep_1');
  return { root, dirs, dir: join(root, 'rep_1') };
}

describe("the directory of a workload's socket", () => {
  it('is open to whatever user the workload runs as', async (test) => {
    const { dir } = await prepared(test);
    assert.equal((await stat(dir)).mode & 0o777, 0o777);
  });

  it('loses what an earlier run left in it and stays the same directory', async (test) => {
    const { dirs, dir, root } = await prepared(test);
    await writeFile(join(root, 'precious'), 'kept');
    await mkdir(join(dir, 'folder'));
    await symlink(join(root, 'precious'), join(dir, 'svc.sock'));
    await symlink(root, join(dir, 'folder', 'up'));
    const { ino } = await stat(dir);
    await dirs.prepare('rep_1');
    assert.deepEqual(await readdir(dir), []);
    assert.equal((await stat(dir)).ino, ino);
    assert.equal(await readFile(join(root, 'precious'), 'utf8'), 'kept');
  });

  it('goes away with its replica, and removing what is gone succeeds', async (test) => {
    const { dirs, root } = await prepared(test);
    await dirs.remove('rep_1');
    await dirs.remove('rep_1');
    assert.deepEqual(await readdir(root), []);
  });
});
