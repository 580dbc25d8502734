import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, createWriteStream, rmSync, truncateSync } from 'node:fs';
import { chmod, link, mkdir, truncate, utimes, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { pack, type PackProgress } from '../../../cli/pack/pack.ts';
import {
  cleanEnv,
  fill,
  git,
  packed,
  repository,
  scratch,
  snapshot,
  tar,
  tree,
  type Content,
} from './support.ts';

const run = promisify(execFile);

/** Packs to a file, as an upload would take it. */
async function archive(test: TestContext, root: string): Promise<string> {
  const path = join(await scratch(test), 'archive.tar.zst');
  await pipeline(pack({ root, env: cleanEnv }).stream, createWriteStream(path));
  return path;
}

const chunk = 4 * 1024 * 1024;

describe('pack', () => {
  it('makes an archive that tar --zstd unpacks to the same tree', async (test) => {
    const root = await tree(test, {
      'bin/run': { text: '#!/bin/sh\n', mode: 0o755 },
      'src/secret': { text: 'x', mode: 0o600 },
      'src/readonly': { text: '', mode: 0o444 },
      'src/group': { text: 'y', mode: 0o664 },
      'deep/er/and/deeper/file': 'z',
      empty: null,
      'link to/file': { link: '../src/secret' },
      dangling: { link: 'nowhere' },
      'é/日本/😀': 'ü',
      [`${'long/'.repeat(60)}name`]: 'long',
      ['n'.repeat(255)]: { link: `src/${'t'.repeat(200)}` },
    });
    await writeFile(join(root, 'large'), randomBytes(2 * chunk + 12_345));
    await link(join(root, 'src/group'), join(root, 'bin/same'));
    await mkdir(join(root, 'closed'), { mode: 0o700 });
    const unpacked = await scratch(test);
    await tar('--zstd', '-xpf', await archive(test, root), '-C', unpacked);
    assert.deepEqual(await snapshot(unpacked), await snapshot(root));
  });

  it('lists entries in byte order, directories before what is in them', async (test) => {
    const root = await tree(test, { 'a/x': '', 'a-b': '', 'a.b': '', ab: '', Z: '', '\uFFEE': '', '😀': '' });
    const names = (await tar('--zstd', '--quoting-style=literal', '-tf', await archive(test, root)))
      .trim()
      .split('\n');
    assert.deepEqual(names, ['Dockerfile', 'Z', 'a/', 'a-b', 'a.b', 'a/x', 'ab', '\uFFEE', '😀']);
  });

  it('makes the same bytes of the same tree, whenever and in whatever order it came to be', async (test) => {
    const files: Record<string, Content> = {
      '.gitignore': '*.log\n',
      'a.log': '',
      'l/link': { link: '../a' },
      empty: null,
    };
    for (let i = 0; i < 300; i += 1) files[`d${i % 7}/f${i}`] = String(i);
    const one = await repository(test, files);
    const two = await repository(test, Object.fromEntries(Object.entries(files).reverse()));
    await git(two, 'add', '.');
    for (const path of ['d0/f0', 'd1', '.gitignore']) await utimes(join(two, path), 1e9, 1e9);
    await fill(two, { 'b.log': 'ignored' });
    await chmod(join(two, 'd1/f1'), 0o4644);
    assert.ok((await packed({ root: one })).equals(await packed({ root: two })));
    await chmod(join(two, 'd1/f1'), 0o755);
    assert.ok(!(await packed({ root: one })).equals(await packed({ root: two })));
  });

  it('cuts anywhere: files around the size of a chunk come through whole', async (test) => {
    const root = await tree(test);
    for (const [i, size] of [chunk - 1536, 512, chunk - 512, 1, chunk, chunk + 1, 0, chunk - 1].entries()) {
      await writeFile(join(root, `f${i}`), randomBytes(size));
    }
    const unpacked = await scratch(test);
    await tar('--zstd', '-xpf', await archive(test, root), '-C', unpacked);
    assert.deepEqual(await snapshot(unpacked), await snapshot(root));
  });

  it('tells how far it is and what it came to', async (test) => {
    const root = await tree(test, { a: 'x'.repeat(1000), 'b/c': 'y', link: { link: 'a' } });
    await writeFile(join(root, 'large'), randomBytes(chunk));
    const seen: PackProgress[] = [];
    const { stream, summary } = pack({ root, env: cleanEnv, onProgress: (progress) => seen.push(progress) });
    let length = 0;
    for await (const data of stream) length += (data as Buffer).length;
    const total = { files: 4, bytes: chunk + 1000 + 1 + 'FROM scratch\n'.length };
    assert.deepEqual(await summary, { ...total, compressedBytes: length });
    const ends = { totalFiles: total.files, totalBytes: total.bytes };
    assert.deepEqual(seen.at(0), { files: 0, bytes: 0, ...ends });
    assert.deepEqual(seen.at(-1), { ...total, ...ends });
    assert.ok(seen.every(({ bytes }, i) => bytes >= (seen[i - 1]?.bytes ?? 0)));
  });

  it('reads no further ahead than it compresses', async (test) => {
    const root = await tree(test);
    const last = availableParallelism() + 10;
    for (let i = 0; i <= last; i += 1) await writeFile(join(root, `f${i + 100}`), randomBytes(chunk));
    const { stream } = pack({ root, env: cleanEnv });
    const reading = stream[Symbol.asyncIterator]();
    await reading.next();
    // Not read yet, so the change is seen.
    truncateSync(join(root, `f${last + 100}`), 1);
    const rest = async (): Promise<void> => {
      while (!(await reading.next()).done);
    };
    await assert.rejects(rest(), { name: 'PackError', message: new RegExp(`f${last + 100} became shorter`) });
  });

  it('keeps its memory, however large a file is', async (test) => {
    const root = await tree(test);
    await writeFile(join(root, 'large'), '');
    await truncate(join(root, 'large'), 2 ** 30);
    const script = `
      import { pack } from ${JSON.stringify(new URL('../../../cli/pack/pack.ts', import.meta.url).href)};
      const before = process.resourceUsage().maxRSS;
      for await (const data of pack({ root: process.argv[1] }).stream) void data;
      console.log(process.resourceUsage().maxRSS - before);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script, root], {
      env: cleanEnv,
    });
    const chunks = availableParallelism() + 2;
    // Each chunk twice, in and out; and what starting to work costs the runtime.
    assert.ok(Number(stdout) * 1024 < 2 * chunks * chunk + 96 * 2 ** 20, `${stdout.trim()} KiB more`);
  });
});

describe('pack, when it cannot', () => {
  it('fails before the first byte where the tree cannot be packed', async (test) => {
    const root = await tree(test, { bad: { link: '/' } });
    const { stream, summary } = pack({ root, env: cleanEnv });
    await assert.rejects(stream.toArray(), { name: 'PackError', message: /bad -> \// });
    await assert.rejects(summary, { name: 'PackError', message: /bad -> \// });
  });

  it('fails for a tree without a Dockerfile', async (test) => {
    const { stream } = pack({ root: await scratch(test), env: cleanEnv });
    await assert.rejects(stream.toArray(), { name: 'PackError', message: /There is no Dockerfile/ });
  });

  const changes: [string, (path: string) => void, RegExp][] = [
    ['grew', (path) => appendFileSync(path, 'x'), /file became longer/],
    ['shrank', (path) => truncateSync(path, 1), /file became shorter/],
    ['went away', (path) => rmSync(path), /file changed/],
    ['became a link', (path) => execFileSync('ln', ['-sf', 'Dockerfile', path]), /file changed/],
    ['became a pipe', (path) => execFileSync('sh', ['-c', 'rm "$0" && mkfifo "$0"', path]), /became shorter/],
  ];
  for (const size of [100, 2 * chunk]) {
    for (const [what, change, message] of changes) {
      it(`names a file of ${size} bytes that ${what} meanwhile`, async (test) => {
        const root = await tree(test, { file: 'x'.repeat(size) });
        // The first report comes once everything was looked at and nothing read.
        let changed = false;
        const onProgress = (): void => {
          if (!changed) change(join(root, 'file'));
          changed = true;
        };
        const { stream, summary } = pack({ root, env: cleanEnv, onProgress });
        await assert.rejects(stream.toArray(), { name: 'PackError', message });
        await assert.rejects(summary, { name: 'PackError', message });
      });
    }
  }

  it('stops when told to', async (test) => {
    const root = await tree(test);
    for (let i = 0; i < 20; i += 1) await writeFile(join(root, `f${i}`), randomBytes(chunk));
    const abort = new AbortController();
    const { stream, summary } = pack({ root, env: cleanEnv, signal: abort.signal });
    let read = 0;
    const reading = async (): Promise<void> => {
      for await (const data of stream) {
        read += (data as Buffer).length;
        abort.abort();
      }
    };
    await assert.rejects(reading(), { name: 'AbortError' });
    await assert.rejects(summary, { name: 'AbortError' });
    assert.ok(read < 10 * chunk);
  });

  it('says so when nobody reads to the end', async (test) => {
    const { stream, summary } = pack({ root: await tree(test), env: cleanEnv });
    stream.destroy();
    await assert.rejects(summary, { name: 'PackError', message: 'Packing was cancelled.' });
  });
});
