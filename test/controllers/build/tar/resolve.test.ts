import assert from 'node:assert/strict';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { defaultLimits } from '../../../../controllers/build/limits.ts';
import { resolve } from '../../../../controllers/build/tar/resolve.ts';
import { createTree, rootNode, type Tree } from '../../../../controllers/build/tar/tree.ts';
import { scratchDir } from '../../../support/archives.ts';

/** A tree of directories (`a/`), files (`a`) and symlinks (`a -> b`). Parents have to come first. */
function treeOf(...entries: string[]): Tree {
  const tree = createTree(defaultLimits);
  for (const entry of entries) {
    const [path = '', target] = entry.split(' -> ');
    const names = path.split('/').filter((name) => name !== '');
    let parent = rootNode.id;
    for (const name of names.slice(0, -1)) parent = tree.child(parent, name)?.id ?? -1;
    const name = names.at(-1) ?? '';
    const kind = target !== undefined ? 'symlink' : path.endsWith('/') ? 'directory' : 'file';
    const node = tree.insert(parent, name, kind);
    if (target !== undefined) tree.addSymlink(node.id, { path, target });
  }
  return tree;
}

const ignore = () => undefined;

function lead(tree: Tree, path: string, from: string[] = []): string {
  const found = resolve(tree, from, path, ignore);
  if (found.outcome !== 'place') return found.outcome;
  return `${found.place.node?.kind ?? 'nothing'} ${found.place.names.join('/')}`;
}

describe('resolve', () => {
  it('follows directories, files and symlinks', () => {
    const tree = treeOf('a/', 'a/b/', 'a/b/f', 'l -> a/b', 'a/up -> ../l/f', 'm -> l/../up');
    assert.equal(lead(tree, ''), 'directory ');
    assert.equal(lead(tree, './a//b/f'), 'file a/b/f');
    assert.equal(lead(tree, 'l/f'), 'file a/b/f');
    assert.equal(lead(tree, 'up', ['a']), 'file a/b/f');
    assert.equal(lead(tree, 'm'), 'file a/b/f');
    assert.equal(lead(tree, 'a/none/x'), 'nothing a/none/x');
    assert.equal(lead(tree, 'a/b/f/x'), 'nothing a/b/f/x');
  });

  it('takes ".." from where a link really leads', () => {
    const tree = treeOf('a/', 'a/b/', 'deep -> a/b', 'here -> .', 'out -> here/..', 'in -> deep/..');
    assert.equal(lead(tree, 'in'), 'directory a');
    assert.equal(lead(tree, 'out'), 'outside');
    assert.equal(lead(tree, 'deep/../..'), 'directory ');
    assert.equal(lead(tree, 'deep/../../..'), 'outside');
    assert.equal(lead(tree, 'none/../..'), 'outside');
  });

  it('tells loops from tangles', () => {
    assert.equal(lead(treeOf('a -> b', 'b -> a'), 'a'), 'loop');
    assert.equal(lead(treeOf('a -> a/x'), 'a'), 'loop');
    const chain = (length: number) => [...Array(length).keys()].map((n) => `l${n} -> l${n + 1}`);
    assert.equal(lead(treeOf(...chain(40), 'l40'), 'l0'), 'file l40');
    assert.equal(lead(treeOf(...chain(41), 'l41'), 'l0'), 'tangled');
    const doubling = [...Array(40).keys()].map((n) => `d${n} -> d${n + 1}/../d${n + 1}`);
    assert.equal(lead(treeOf('x/', 'd40 -> x', ...doubling), 'd0'), 'tangled');
  });

  it('counts its steps', () => {
    let steps = 0;
    resolve(treeOf('a/', 'a/l -> ../b/c'), ['a'], 'l', (more) => (steps += more));
    assert.equal(steps, 5);
  });

  it('agrees with the file system', async (test) => {
    const dir = await scratchDir(test);
    const name = fc.constantFrom('a', 'b', 'c');
    const segment = fc.oneof(name, fc.constantFrom('..', '.', 'a/b'));
    const entry = fc.tuple(
      fc.array(name, { minLength: 1, maxLength: 3 }),
      fc.oneof(
        fc.constant('/'),
        fc.constant(''),
        fc.array(segment, { minLength: 1, maxLength: 4 }).map((all) => all.join('/')),
      ),
    );
    let round = 0;
    const property = fc.asyncProperty(fc.array(entry, { maxLength: 12 }), async (entries) => {
      // The root lies deep enough for every ".." to stay below the scratch folder.
      const root = join(dir, String(round++), 'x/x/x/x/x/x/x/x/x/x/x/x/x/x');
      await mkdir(root, { recursive: true });
      const kinds = new Map<string, string>();
      for (const [names, what] of entries) {
        const path = names.join('/');
        const parents = names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
        if (kinds.has(path) || parents.some((parent) => (kinds.get(parent) ?? '/') !== '/')) continue;
        for (const parent of parents) kinds.set(parent, '/');
        kinds.set(path, what);
      }
      const made = [...kinds].sort(([a], [b]) => a.length - b.length);
      for (const [path, what] of made) {
        const at = join(root, path);
        await mkdir(dirname(at), { recursive: true });
        if (what === '/') await mkdir(at, { recursive: true });
        else if (what === '') await writeFile(at, '');
        else await symlink(what, at);
      }
      const tree = treeOf(
        ...made.map(([path, what]) =>
          what === '/' ? `${path}/` : what === '' ? path : `${path} -> ${what}`,
        ),
      );
      for (const [path] of made) {
        const real = await realpath(join(root, path)).catch(() => undefined);
        if (real === undefined) continue;
        const found = lead(tree, path);
        const inside = real === root || real.startsWith(`${root}/`);
        // A path that leaves the root and comes back by chance is refused as well.
        if (found === 'outside') continue;
        assert.ok(inside, `${path} leads to ${real}, not to ${found}`);
        assert.equal(found.slice(found.indexOf(' ') + 1), relative(root, real));
      }
    });
    await fc.assert(property, { numRuns: 150 });
  });
});
