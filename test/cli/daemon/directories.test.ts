import assert from 'node:assert/strict';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { prepareDataDir } from '../../../cli/daemon/directories.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

describe('the data directory', () => {
  it('is made with what lies above it, for its owner alone, and taken as it is afterwards', async () => {
    const path = join(temporaryDirectory(), 'a/b');
    await prepareDataDir(path);
    await prepareDataDir(path);
    assert.equal((await stat(path)).mode & 0o777, 0o700);
  });

  it('that cannot be made is named, with why and what to do', { timeout: 10_000 }, async () => {
    const file = join(temporaryDirectory(), 'file');
    await writeFile(file, '');
    for (const [path, code] of [
      ['/proc/svc/data', 'ENOENT'],
      [file, 'EEXIST'],
      [join(file, 'data'), 'ENOTDIR'],
    ] as const)
      await assert.rejects(prepareDataDir(path), (error: Error) => {
        assert.ok(error.message.includes(`${path} cannot be made (${code}): make it`), error.message);
        return true;
      });
  });
});
