import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { lockDataDir } from '../../../api/store/lock.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const program = `
  import { lockDataDir } from '${new URL('../../../api/store/lock.ts', import.meta.url).href}';
  try {
    lockDataDir(process.argv[1]);
    console.log('locked');
    setInterval(() => {}, 1000);
  } catch (error) {
    console.log(error.message);
  }`;

describe('the lock of a data directory', () => {
  const children: ChildProcess[] = [];
  after(() => children.forEach((child) => child.kill('SIGKILL')));

  async function lockElsewhere(dataDir: string): Promise<{ child: ChildProcess; said: string }> {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, said: chunk.toString().trim() };
  }

  it('refuses a second process with the pid of the first', async () => {
    const dataDir = join(directory, 'two');
    const unlock = lockDataDir(dataDir);
    const refusal = `${dataDir} is in use by process ${process.pid}. Stop it first, or choose another --data-dir.`;
    assert.equal((await lockElsewhere(dataDir)).said, refusal);
    assert.throws(() => lockDataDir(dataDir), { message: refusal });
    unlock();
    assert.equal((await lockElsewhere(dataDir)).said, 'locked');
  });

  it('is free as soon as its process is killed', async () => {
    const dataDir = join(directory, 'killed');
    const { child, said } = await lockElsewhere(dataDir);
    assert.equal(said, 'locked');
    assert.throws(() => lockDataDir(dataDir), { message: new RegExp(`in use by process ${child.pid}\\.`) });
    child.kill('SIGKILL');
    await once(child, 'exit');
    lockDataDir(dataDir)();
  });

  it('lies in files that nobody else can read, whatever the umask', () => {
    const dataDir = join(directory, 'private');
    const usual = process.umask(0o022);
    const unlock = lockDataDir(dataDir);
    process.umask(usual);
    const modes = readdirSync(dataDir).map((name) => statSync(join(dataDir, name)).mode & 0o777);
    unlock();
    lockDataDir(dataDir)();
    assert.deepEqual(new Set(modes), new Set([0o600]));
  });

  it('is one for each directory', () => {
    const unlocks = [lockDataDir(join(directory, 'a')), lockDataDir(join(directory, 'b'))];
    for (const unlock of unlocks) unlock();
  });

  it('says so when the directory cannot be locked', () => {
    assert.throws(() => lockDataDir('/dev/null/svc'), { code: 'ENOTDIR' });
  });
});
