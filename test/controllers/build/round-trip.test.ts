/** Whatever tree a user packs with the usual tools arrives at the engine as it was. */
import assert from 'node:assert/strict';
import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Header } from 'tar-stream';
import { openUploads } from '../../../controllers/build/uploads.ts';
import { collect, listTar, scratchDir, shell, uploadId } from '../../support/archives.ts';

const never = new AbortController().signal;

describe('any tree packed by GNU tar and zstd', () => {
  /** Files, links and folders by path. */
  type Planned = Map<
    string,
    { content: string; mode: number } | { target: string } | { same: string } | 'folder'
  >;

  const name = fc.oneof(
    fc.constantFrom('a', 'b', 'Ünï', '-x', 'sp ace', '%2e', '..a'),
    fc.integer({ min: 80, max: 120 }).map((n) => 'n'.repeat(n)),
  );
  const path = fc.array(name, { minLength: 1, maxLength: 4 });
  const what = fc.oneof(
    fc.record({
      content: fc.string({ maxLength: 2000 }),
      mode: fc.constantFrom(0o644, 0o755, 0o600, 0o4711),
    }),
    fc.record({ target: path.map((segments) => segments.join('/')) }),
    fc.record({ same: fc.constant('') }),
    fc.constant('folder' as const),
  );

  function planTree(items: [string[], Exclude<ReturnType<Planned['get']>, undefined>][]): Planned {
    const planned: Planned = new Map();
    for (const [segments, item] of items) {
      const parents = segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'));
      const at = segments.join('/');
      if (planned.has(at) || parents.some((parent) => (planned.get(parent) ?? 'folder') !== 'folder'))
        continue;
      const file = [...planned].find(([, other]) => typeof other === 'object' && 'content' in other)?.[0];
      if (typeof item === 'object' && 'same' in item && file === undefined) continue;
      for (const parent of parents) planned.set(parent, 'folder');
      planned.set(at, typeof item === 'object' && 'same' in item ? { same: file ?? '' } : item);
    }
    return planned;
  }

  async function plant(root: string, planned: Planned): Promise<void> {
    await mkdir(root, { recursive: true });
    for (const [at, item] of planned) {
      const full = join(root, at);
      await mkdir(item === 'folder' ? full : dirname(full), { recursive: true });
      if (item === 'folder') continue;
      if ('content' in item) await writeFile(full, item.content, { mode: item.mode });
      else if ('same' in item) await link(join(root, item.same), full);
      else await symlink(item.target, full);
    }
  }

  it('becomes the same canonical entries', async (test) => {
    const dir = await scratchDir(test);
    const uploads = await openUploads({ dir: join(dir, 'uploads') });
    const tools = fc.constantFrom(
      'tar --format=gnu -cf - . | zstd -q -T2',
      'tar --format=posix -cf - . | zstd -q -19',
      `find . -mindepth 1 -printf '%P\\0' | tar --null --no-recursion --zstd --owner=1000 --mtime=@0 -cf - -T -`,
    );
    let round = 0;
    const property = fc.asyncProperty(
      fc.array(fc.tuple(path, what), { maxLength: 12 }),
      tools,
      async (items, tool) => {
        const planned = planTree([[['Dockerfile'], { content: 'FROM scratch\n', mode: 0o644 }], ...items]);
        const root = join(dir, String(round++));
        await plant(root, planned);
        const id = uploadId();
        await uploads.receive(id, Readable.from([await shell(tool, root)]), never);
        const { stream } = await uploads.context(
          id,
          { contextPath: '.', dockerfilePath: 'Dockerfile' },
          1_900_000_000,
        );
        const listed = await listTar(await collect(stream));
        assert.deepEqual(
          listed.map(({ header }) => header.name.replace(/\/$/, '')).sort(),
          [...planned.keys()].sort(),
        );
        for (const { header, content } of listed) compare(planned, header, content);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  function compare(planned: Planned, header: Header, content: Buffer): void {
    const item = planned.get(header.name.replace(/\/$/, ''));
    const seen = [header.type, header.linkname as string | null];
    if (item === 'folder') {
      assert.equal(header.type, 'directory');
      return;
    }
    if (item && 'target' in item) {
      assert.deepEqual(seen, ['symlink', item.target]);
      return;
    }
    const file = item && 'same' in item ? planned.get(item.same) : item;
    assert.ok(file && file !== 'folder' && 'content' in file, header.name);
    // Which of several names comes first, and so carries the content, is the packer's choice.
    if (header.type === 'link') return;
    assert.deepEqual(
      [header.type, content.toString(), header.mode],
      ['file', file.content, file.mode & 0o111 ? 0o755 : 0o644],
    );
  }
});
