import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canonicalTar } from '../../../../controllers/build/tar/canonical.ts';
import type { AcceptedEntry } from '../../../../controllers/build/tar/policy.ts';
import type { TarPart } from '../../../../controllers/build/tar/reader.ts';
import { collect, listTar, scratchDir, shell } from '../../../support/archives.ts';

type Given = AcceptedEntry & { content: string };

// eslint-disable-next-line @typescript-eslint/require-await -- an async iterable is the point
async function* partsOf(entries: readonly Given[]): AsyncGenerator<TarPart<AcceptedEntry>> {
  for (const { content, ...entry } of entries) {
    yield { entry };
    const bytes = Buffer.from(content);
    if (bytes.length > 1) yield { data: bytes.subarray(0, 1) };
    if (bytes.length > 0) yield { data: bytes.subarray(bytes.length > 1 ? 1 : 0) };
  }
}

const write = (
  entries: readonly Given[],
  place = (entry: AcceptedEntry): AcceptedEntry | undefined => entry,
) => collect(canonicalTar(partsOf(entries), place));

const given = (path: string, content = '', more: Partial<AcceptedEntry> = {}): Given => ({
  kind: 'file',
  path,
  target: '',
  size: Buffer.byteLength(content),
  executable: false,
  mtime: 1_700_000_000,
  content,
  ...more,
});

describe('canonicalTar', () => {
  it('writes every kind of entry with owner and modes of its own', async () => {
    const tar = await write([
      given('d', '', { kind: 'directory' }),
      given('d/run', '#!', { executable: true }),
      given('d/f', 'x'.repeat(512)),
      given('l', '', { kind: 'symlink', target: 'd/f' }),
      given('h', '', { kind: 'hardlink', target: 'd/f' }),
    ]);
    const seen = (await listTar(tar)).map(({ header: { name, type, mode, uid, gid, linkname, mtime } }) => [
      name,
      type,
      mode.toString(8),
      uid,
      gid,
      linkname,
      mtime.getTime(),
    ]);
    const at = 1_700_000_000_000;
    assert.deepEqual(seen, [
      ['d/', 'directory', '755', 0, 0, null, at],
      ['d/run', 'file', '755', 0, 0, null, at],
      ['d/f', 'file', '644', 0, 0, null, at],
      ['l', 'symlink', '777', 0, 0, 'd/f', at],
      ['h', 'link', '644', 0, 0, 'd/f', at],
    ]);
    assert.equal(tar.length % 512, 0);
  });

  it('leaves out what has no place, contents too', async () => {
    const tar = await write(
      [given('a', 'A'.repeat(700)), given('b', 'B'), given('c', 'C'.repeat(600))],
      (entry) => (entry.path === 'b' ? { ...entry, path: 'B' } : undefined),
    );
    assert.deepEqual(
      (await listTar(tar)).map(({ header, content }) => `${header.name}=${content.toString()}`),
      ['B=B'],
    );
  });

  it('holds nothing of the pauses of a big file', async (test) => {
    const warned = test.mock.method(process, 'emitWarning', () => undefined);
    const chunk = Buffer.alloc(64 * 2 ** 10);
    // eslint-disable-next-line @typescript-eslint/require-await -- an async iterable is the point
    async function* parts(): AsyncGenerator<TarPart<AcceptedEntry>> {
      yield { entry: given('big', '', { size: 20 * chunk.length }) };
      for (let sent = 0; sent < 20; sent += 1) yield { data: chunk };
    }
    const tar = await collect(canonicalTar(parts(), (entry) => entry));
    assert.ok(tar.length > 20 * chunk.length);
    assert.equal(warned.mock.callCount(), 0, 'MaxListenersExceededWarning');
  });

  it('is read back by tar-stream and by GNU tar, whatever the names', async (test) => {
    const dir = await scratchDir(test);
    const segment = fc.oneof(
      fc.string({ minLength: 1, maxLength: 40, unit: fc.constantFrom('a', 'é', '日', ' ', '-', '%') }),
      fc.integer({ min: 90, max: 110 }).map((length) => 'n'.repeat(length)),
    );
    const path = fc.array(segment, { minLength: 1, maxLength: 6 }).map((segments) => segments.join('/'));
    const entry = fc
      .tuple(path, fc.string({ maxLength: 1000 }), fc.option(path))
      .map(([name, content, target]) =>
        target === null ? given(name, content) : given(name, '', { kind: 'symlink', target }),
      );
    const property = fc.asyncProperty(
      fc.uniqueArray(entry, { selector: ({ path: name }) => name, maxLength: 8 }),
      async (entries) => {
        const tar = await write(entries);
        const expected = entries.map(({ path: name, target, content }) => [name, target || null, content]);
        const listed = (await listTar(tar)).map(({ header, content }) => [
          header.name,
          header.linkname,
          content.toString(),
        ]);
        assert.deepEqual(listed, expected);
        await writeFile(join(dir, 'a.tar'), tar);
        const gnu = await shell('tar --quoting-style=literal -tf a.tar', dir);
        assert.equal(gnu.toString(), entries.map(({ path: name }) => `${name}\n`).join(''));
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });
});
