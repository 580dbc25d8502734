import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { defaultLimits } from '../../../../controllers/build/limits.ts';
import { checkTar } from '../../../../controllers/build/tar/check.ts';
import { createTree } from '../../../../controllers/build/tar/tree.ts';
import { packTar, shell, streamOf, type PackedEntry } from '../../../support/archives.ts';

const corpus = new URL('../../../corpora/tar/', import.meta.url);
const json = (name: string): unknown => JSON.parse(readFileSync(new URL(name, corpus), 'utf8'));

type Verdict = 'accept' | 'reject' | 'normalise' | 'any';
const crafted = json('crafted/expect.json') as Record<string, { expect: Verdict; why: string }>;
const foreign = json('foreign.json') as Record<string, Verdict>;

interface Listing {
  paths: string[];
  bytes: number;
}

async function check(tar: Buffer, chunk = 65_536, limits = defaultLimits): Promise<Listing> {
  const listing: Listing = { paths: [], bytes: 0 };
  for await (const part of checkTar(streamOf(tar, chunk), createTree(limits), limits)) {
    if ('entry' in part) listing.paths.push(part.entry.path);
    else listing.bytes += part.data.length;
  }
  return listing;
}

/** What GNU tar reads, in our form of paths; directories that only we made are left out of a comparison with it. */
async function gnuPaths(file: URL): Promise<string[]> {
  const listed = await shell(`tar --quoting-style=literal -tf '${fileURLToPath(file)}' 2>/dev/null || true`);
  const paths = listed
    .toString()
    .split('\n')
    .map((path) => path.replace(/^\.\//, '').replace(/\/$/, ''));
  return paths.filter((path) => path !== '' && path !== '.');
}

async function holds(name: string, verdict: Verdict): Promise<void> {
  const file = new URL(name, corpus);
  const tar = readFileSync(file);
  for (const chunk of [511, 65_536]) {
    const checked = check(tar, chunk);
    if (verdict === 'reject') {
      await assert.rejects(checked, { name: 'ProblemError' });
    } else if (
      verdict !== 'any' ||
      (await checked.then(
        () => true,
        () => false,
      ))
    ) {
      const { paths } = await checked;
      const gnu = await gnuPaths(file);
      assert.deepEqual(
        gnu.filter((path) => !paths.includes(path)),
        [],
        'GNU tar sees entries that we do not',
      );
      const parents = new Set(
        gnu.flatMap((path) => path.split('/').map((_, index, all) => all.slice(0, index).join('/'))),
      );
      assert.deepEqual(
        paths.filter((path) => !gnu.includes(path) && !parents.has(path)),
        [],
        'we see entries that GNU tar does not',
      );
    }
  }
}

describe('checkTar', () => {
  const rows = (folder: string) =>
    readdirSync(new URL(folder, corpus)).filter((name) => name.endsWith('.tar'));
  it('has a verdict for every archive of the corpus', () => {
    assert.deepEqual(rows('crafted'), Object.keys(crafted).sort());
    const others = ['go', 'tar-rs', 'tar-stream'].flatMap((folder) =>
      rows(folder).map((name) => `${folder}/${name}`),
    );
    assert.deepEqual(others, Object.keys(foreign).sort());
  });
  for (const [name, { expect, why }] of Object.entries(crafted)) {
    it(`${expect}s ${name}: ${why}`, () => holds(`crafted/${name}`, expect));
  }
  for (const [name, expect] of Object.entries(foreign)) it(`${expect}s ${name}`, () => holds(name, expect));

  it('refuses an archive with nothing in it', async () => {
    const root = await packTar([{ name: './', type: 'directory' }]);
    await assert.rejects(check(root), { code: 'bad_request', message: /there is nothing in it/ });
  });

  it('refuses a leaving symlink only once all entries are known, and refuses it', async () => {
    const entries: PackedEntry[] = [
      { name: 'l', type: 'symlink', linkname: 'here/..' },
      { name: 'here', type: 'symlink', linkname: '.' },
    ];
    await assert.rejects(check(await packTar(entries)), /"l" is a symlink that leaves the upload/);
  });

  it('bounds the work that links make', async () => {
    const entries = [...Array(20).keys()].map((n): PackedEntry => ({
      name: `l${n}`,
      type: 'symlink',
      linkname: 'x/../'.repeat(100),
    }));
    const tar = await packTar(entries);
    await check(tar);
    await assert.rejects(check(tar, 65_536, { ...defaultLimits, linkSteps: 1000 }), {
      code: 'too_large',
      message: /symlinks are too long to follow \(limit: 1000 path segments\)/,
    });
  });
});
