import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import type { UploadLimits } from '../../../controllers/build/limits.ts';
import { openUploads } from '../../../controllers/build/uploads.ts';
import { neutralTime } from '../../../specs/neutral-time.ts';
import {
  collect,
  inPieces,
  listTar,
  packTar,
  packUpload,
  scratchDir,
  shell,
  uploadId,
} from '../../support/archives.ts';

const never = new AbortController().signal;
/** Seconds since the epoch that entries without a time of their own get. */
const time = 1_900_000_000;
const whole = { contextPath: '.', dockerfilePath: 'Dockerfile' };

async function open(
  test: TestContext,
  limits: Partial<UploadLimits> = {},
  freeBytes = () => Promise.resolve(2 ** 40),
) {
  const dir = join(await scratchDir(test), 'uploads');
  const uploads = await openUploads({ dir, limits, freeBytes });
  const receive = (body: Buffer, id = uploadId(), signal = never) =>
    uploads.receive(id, Readable.from([...inPieces(body, 65_536)], { objectMode: false }), signal);
  return { dir, uploads, receive };
}

const simple = () =>
  packUpload([
    { name: 'Dockerfile', content: 'FROM scratch\n' },
    { name: 'src/a', content: 'A' },
  ]);

describe('receive', () => {
  it('stages a good archive under its id, readable by nobody else, and says what it is', async (test) => {
    const { dir, receive } = await open(test);
    const body = await simple();
    const id = uploadId();
    const sha256 = createHash('sha256').update(body).digest('hex');
    assert.deepEqual(await receive(body, id), { bytes: body.length, sha256, unpacked_bytes: 14, entries: 3 });
    assert.deepEqual(await readdir(dir), [`${id}.tar.zst`]);
    assert.deepEqual(await readFile(join(dir, `${id}.tar.zst`)), body);
    assert.equal(
      (await shell(`stat -c '%a %n' . ${id}.tar.zst`, dir)).toString(),
      `700 .\n600 ${id}.tar.zst\n`,
    );
  });

  it('leaves nothing behind of an archive that is cut anywhere', async (test) => {
    const { dir, receive } = await open(test);
    const body = await simple();
    for (let length = 0; length < body.length; length += 3) {
      await assert.rejects(
        receive(body.subarray(0, length)),
        { code: 'bad_request' },
        `accepted ${length} of ${body.length}`,
      );
    }
    assert.deepEqual(await readdir(dir), []);
  });

  it('leaves nothing behind of a hostile archive, whatever comes after the bad entry', async (test) => {
    const { dir, receive } = await open(test);
    const noise = (await shell('head -c 4000000 /dev/urandom')).toString('latin1');
    const body = await packUpload([
      { name: '../evil', content: 'x' },
      { name: 'later', content: noise },
    ]);
    await assert.rejects(receive(body), {
      code: 'bad_request',
      message: /entry "\.\.\/evil" has "\.\." in its path/,
    });
    assert.deepEqual(await readdir(dir), []);
  });

  it('refuses while the client still has to send, and leaves the body for the answer', async (test) => {
    const { dir, uploads } = await open(test);
    const body = new PassThrough();
    body.write(zstdCompressSync(await packTar([{ name: '/abs', content: 'x' }])));
    await assert.rejects(uploads.receive(uploadId(), body, never), /absolute path/);
    assert.equal(body.destroyed, false);
    assert.deepEqual(await readdir(dir), []);
  });

  it('leaves nothing behind when the client goes away or the node stops', async (test) => {
    const { dir, uploads } = await open(test);
    const archive = await simple();
    for (const end of ['client', 'node'] as const) {
      const body = new PassThrough();
      const abort = new AbortController();
      const receiving = uploads.receive(uploadId(), body, abort.signal);
      body.write(archive.subarray(0, 40));
      if (end === 'client') body.destroy(new Error('aborted'));
      else abort.abort(new Error('stopping'));
      await assert.rejects(receiving, { code: 'bad_request', message: /the upload broke off/ });
    }
    assert.deepEqual(await readdir(dir), []);
  });

  it('stops at every limit and names it', async (test) => {
    const noise = Buffer.concat(
      await Promise.all(Array.from({ length: 4 }, () => shell('head -c 100000 /dev/urandom'))),
    );
    const body = zstdCompressSync(
      await packTar([
        { name: 'a', content: noise },
        { name: 'b', content: 'b' },
      ]),
    );
    const zeros = zstdCompressSync(await packTar([{ name: 'zeros', content: Buffer.alloc(1 << 20) }]));
    const cases: [Partial<UploadLimits>, Buffer, RegExp][] = [
      [{ compressedBytes: 300_000 }, body, /compressed size is more \(limit: 293\.0 KiB\)/],
      [{ unpackedBytes: 300_000 }, body, /limit: 293\.0 KiB/],
      [{ entries: 1 }, body, /too many entries \(limit: 1 entries\)/],
      [{ ratio: 50, ratioFrom: 1 << 19 }, zeros, /50 times the compressed size/],
    ];
    for (const [limits, archive, message] of cases) {
      const { dir, receive } = await open(test, limits);
      await assert.rejects(receive(archive), { code: 'too_large', message });
      assert.deepEqual(await readdir(dir), []);
    }
  });

  it('refuses when the disk is nearly full, before and during', async (test) => {
    const full = { code: 'unavailable', retryAfter: 60, message: /disk is too full/ };
    const before = await open(test, { reserveBytes: 1000 }, () => Promise.resolve(999));
    await assert.rejects(before.receive(await simple()), full);
    let looks = 0;
    const during = await open(test, { reserveBytes: 1000 }, () => Promise.resolve(looks++ === 0 ? 5000 : 0));
    const noise = await shell('head -c 35000000 /dev/urandom');
    await assert.rejects(
      during.receive(zstdCompressSync(await packTar([{ name: 'a', content: noise }]))),
      full,
    );
    assert.deepEqual([looks, await readdir(during.dir)], [2, []]);
  });

  it('takes only so many at once', async (test) => {
    const { uploads, receive } = await open(test, { concurrent: 1 });
    const body = new PassThrough();
    const first = uploads.receive(uploadId(), body, never);
    await assert.rejects(receive(await simple()), { code: 'rate_limited', retryAfter: 10 });
    body.end(await simple());
    await first;
    await receive(await simple());
  });

  it('never makes a path of what is no upload id', async (test) => {
    const { uploads, receive } = await open(test);
    for (const id of ['../x', '', 'upl_x', 'svc_01234567890123456789012345']) {
      await assert.rejects(receive(await simple(), id), { code: 'not_found' });
      await assert.rejects(uploads.context(id, whole, time), { code: 'not_found' });
      await assert.rejects(uploads.remove(id), { code: 'not_found' });
    }
  });
});

describe('context', () => {
  it('gives the canonical tar of a folder, with the Dockerfile', async (test) => {
    const { uploads, receive } = await open(test);
    const id = uploadId();
    await receive(
      await packUpload([
        { name: 'Dockerfile', content: 'FROM x\n' },
        { name: './app/', type: 'directory' },
        { name: './app/a', content: 'A', mode: 0o4777 },
      ]),
      id,
    );
    const { stream, dockerfile } = await uploads.context(
      id,
      {
        contextPath: 'app',
        dockerfilePath: 'Dockerfile',
      },
      time,
    );
    assert.equal(dockerfile, '.svc.Dockerfile');
    const entries = (await listTar(await collect(stream))).map(({ header, content }) => [
      header.name,
      header.mode,
      content.toString(),
    ]);
    assert.deepEqual(entries, [
      ['.svc.Dockerfile', 0o644, 'FROM x\n'],
      ['a', 0o755, 'A'],
    ]);
  });

  it('refuses paths that the upload does not have', async (test) => {
    const { uploads, receive } = await open(test);
    const id = uploadId();
    await receive(await simple(), id);
    await assert.rejects(uploads.context(id, { ...whole, dockerfilePath: 'Dockerfile.dev' }, time), {
      code: 'invalid',
    });
    await assert.rejects(uploads.context(id, { ...whole, contextPath: '../..' }, time), { code: 'invalid' });
  });

  it('says that an upload is gone', async (test) => {
    const { uploads, receive } = await open(test);
    const id = uploadId();
    await receive(await simple(), id);
    await uploads.remove(id);
    await uploads.remove(id);
    await assert.rejects(uploads.context(id, whole, time), {
      code: 'not_found',
      message: 'The upload is gone: push again.',
    });
  });

  it('fails, and does not just end, when the file was damaged meanwhile', async (test) => {
    const { dir, uploads, receive } = await open(test);
    const id = uploadId();
    const noise = await shell('head -c 500000 /dev/urandom');
    await receive(
      zstdCompressSync(
        await packTar([
          { name: 'Dockerfile', content: 'FROM x' },
          { name: 'noise', content: noise },
        ]),
      ),
      id,
    );
    const { stream } = await uploads.context(id, whole, time);
    await truncate(join(dir, `${id}.tar.zst`), 300_000);
    await assert.rejects(collect(stream), /ends too early/);
    await assert.rejects(uploads.context(id, whole, time), /ends too early/);
  });

  it('gives entries that came without a time that of their deployment, and leaves the others theirs', async (test) => {
    const { uploads, receive } = await open(test);
    const id = uploadId();
    await receive(
      await packUpload([
        { name: 'Dockerfile', content: 'FROM x', mtime: new Date(neutralTime * 1_000) },
        { name: 'old', content: 'A', mtime: new Date(1_000_000_000_000) },
      ]),
      id,
    );
    const { stream } = await uploads.context(id, whole, time);
    const times = (await listTar(await collect(stream))).map(({ header }) => Number(header.mtime) / 1_000);
    assert.deepEqual(times, [time, 1_000_000_000]);
  });

  it('lets go of the file when the engine stops reading', async (test) => {
    const { uploads, receive } = await open(test);
    const id = uploadId();
    await receive(await simple(), id);
    const { stream } = await uploads.context(id, whole, time);
    stream.once('data', () => stream.destroy());
    await new Promise((resolve) => stream.once('close', resolve));
    const unread = await uploads.context(id, whole, time);
    unread.stream.destroy();
  });
});

describe('sweep', () => {
  it('removes what a crash left half-written and tells what is there', async (test) => {
    const { dir, uploads, receive } = await open(test);
    const id = uploadId();
    await receive(await simple(), id);
    await writeFile(join(dir, `${uploadId()}.tar.zst.part`), 'half');
    await writeFile(join(dir, 'notes.tar.zst'), '');
    assert.deepEqual(await uploads.sweep(), [id]);
    assert.deepEqual((await readdir(dir)).sort(), ['notes.tar.zst', `${id}.tar.zst`].sort());
  });
});
