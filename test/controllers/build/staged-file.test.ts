import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { stageFile } from '../../../controllers/build/staged-file.ts';
import { collect, scratchDir, streamOf } from '../../support/archives.ts';

const options = { maxBytes: 100, reserveBytes: 0, freeBytes: () => Promise.resolve(1) };

async function open(test: TestContext) {
  const dir = await scratchDir(test);
  return { dir, file: await stageFile(join(dir, 'a'), options) };
}

describe('stageFile', () => {
  it('passes chunks on as it writes them, and shows the file once it is committed', async (test) => {
    const { dir, file } = await open(test);
    assert.equal((await collect(file.record(streamOf(Buffer.from('hello'), 2)))).toString(), 'hello');
    assert.deepEqual(await readdir(dir), ['a.part']);
    assert.equal((await file.commit()).bytes, 5);
    assert.deepEqual(await readdir(dir), ['a']);
    assert.equal(await readFile(join(dir, 'a'), 'utf8'), 'hello');
  });

  it('removes everything when it is discarded, in whatever state', async (test) => {
    const { dir, file } = await open(test);
    await file.discard();
    await file.discard();
    assert.deepEqual(await readdir(dir), []);
    const second = await stageFile(join(dir, 'a'), options);
    await second.commit();
    await second.discard();
    assert.deepEqual(await readdir(dir), []);
  });

  it('never takes over a file that is being written', async (test) => {
    const { dir, file } = await open(test);
    await assert.rejects(stageFile(join(dir, 'a'), options), { code: 'EEXIST' });
    await file.discard();
  });

  it('stops at its limit of bytes', async (test) => {
    const { file } = await open(test);
    await assert.rejects(collect(file.record(streamOf(Buffer.alloc(101), 10))), {
      code: 'too_large',
      message: /limit: 100 B/,
    });
    await file.discard();
  });

  it('says that the disk is full in the words of the API, and keeps the cause', async (test) => {
    const dir = await scratchDir(test);
    await writeFile(join(dir, 'no-folder'), '');
    await assert.rejects(stageFile(join(dir, 'no-folder', 'a'), options), { code: 'ENOTDIR' });
    await assert.rejects(stageFile(join(dir, 'a'), { ...options, reserveBytes: 2 }), {
      code: 'unavailable',
      retryAfter: 60,
    });
    assert.deepEqual(await readdir(dir), ['no-folder']);
  });
});
