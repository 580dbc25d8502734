import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planContext } from '../../../controllers/build/context.ts';
import { defaultLimits } from '../../../controllers/build/limits.ts';
import { checkTar } from '../../../controllers/build/tar/check.ts';
import type { AcceptedEntry } from '../../../controllers/build/tar/policy.ts';
import { createTree } from '../../../controllers/build/tar/tree.ts';
import { packTar, streamOf, type PackedEntry } from '../../support/archives.ts';

/** `a/` is a directory, `a` a file, `a -> b` a symlink, `a = b` a hardlink. */
function packed(entry: string): PackedEntry {
  const symlink = entry.split(' -> ');
  const hardlink = entry.split(' = ');
  if (symlink[1] !== undefined) return { name: symlink[0] ?? '', type: 'symlink', linkname: symlink[1] };
  if (hardlink[1] !== undefined) return { name: hardlink[0] ?? '', type: 'link', linkname: hardlink[1] };
  return entry.endsWith('/') ? { name: entry, type: 'directory' } : { name: entry, content: entry };
}

/** The Dockerfile's path, and the entries of the context in the same short form, each file with its original path. */
async function plan(
  contextPath: string,
  dockerfilePath: string,
  ...entries: string[]
): Promise<[string, string[]]> {
  const tree = createTree(defaultLimits);
  const accepted: AcceptedEntry[] = [];
  const tar = await packTar(entries.map(packed));
  for await (const part of checkTar(streamOf(tar), tree, defaultLimits))
    if ('entry' in part) accepted.push(part.entry);
  const { dockerfile, place } = planContext(tree, { contextPath, dockerfilePath });
  const listed = accepted.flatMap((entry) => {
    const placed = place(entry);
    if (!placed) return [];
    if (placed.kind === 'symlink') return [`${placed.path} -> ${placed.target}`];
    if (placed.kind === 'hardlink') return [`${placed.path} = ${placed.target}`];
    return [placed.kind === 'directory' ? `${placed.path}/` : `${placed.path} (${entry.path})`];
  });
  return [dockerfile, listed];
}

const invalid = async (field: string, message: RegExp, ...args: Parameters<typeof plan>) => {
  await assert.rejects(
    plan(...args),
    (error: { code?: string; message?: string; errors?: { path: string }[] }) => {
      assert.equal(error.code, 'invalid');
      assert.match(error.message ?? '', message);
      assert.deepEqual(
        error.errors?.map(({ path }) => path),
        [`/${field}`],
      );
      return true;
    },
  );
};

describe('planContext', () => {
  it('is the whole upload by default', async () => {
    const [dockerfile, entries] = await plan('.', 'Dockerfile', './', 'Dockerfile', 'src/', 'src/a');
    assert.equal(dockerfile, 'Dockerfile');
    assert.deepEqual(entries, ['Dockerfile (Dockerfile)', 'src/', 'src/a (src/a)']);
  });

  it('is one folder without its prefix, and nothing that merely begins like it', async () => {
    const upload = ['app/', 'app/Dockerfile', 'app/src/a', 'application', 'app2/x', 'other/y'];
    for (const path of ['app', './app/', 'app//.', 'other/../app']) {
      const [dockerfile, entries] = await plan(path, 'app/Dockerfile', ...upload);
      assert.equal(dockerfile, 'Dockerfile');
      assert.deepEqual(entries, ['Dockerfile (app/Dockerfile)', 'src/', 'src/a (app/src/a)']);
    }
  });

  it('finds a folder that no entry names', async () => {
    assert.deepEqual(await plan('a/b', 'a/b/Dockerfile', 'a/b/Dockerfile'), [
      'Dockerfile',
      ['Dockerfile (a/b/Dockerfile)'],
    ]);
  });

  it('brings a Dockerfile from outside under a free name', async () => {
    const [dockerfile, entries] = await plan(
      'app',
      'deploy/Dockerfile',
      'deploy/Dockerfile',
      'app/x',
      'app/.svc.Dockerfile',
    );
    assert.equal(dockerfile, '.svc.Dockerfile.1');
    assert.deepEqual(entries, [
      '.svc.Dockerfile.1 (deploy/Dockerfile)',
      'x (app/x)',
      '.svc.Dockerfile (app/.svc.Dockerfile)',
    ]);
  });

  it('follows symlinks to the folder and the Dockerfile, within the upload', async () => {
    const upload = ['v1/app/Dockerfile.real', 'v1/app/Dockerfile -> Dockerfile.real', 'current -> v1'];
    const [dockerfile, entries] = await plan('current/app', 'current/app/Dockerfile', ...upload);
    assert.equal(dockerfile, 'Dockerfile.real');
    assert.deepEqual(entries, ['Dockerfile.real (v1/app/Dockerfile.real)', 'Dockerfile -> Dockerfile.real']);
  });

  it('keeps symlinks that point elsewhere in the upload as they are', async () => {
    const [, entries] = await plan('app', 'app/D', 'shared/x', 'app/D', 'app/l -> ../shared/x');
    assert.deepEqual(entries, ['D (app/D)', 'l -> ../shared/x']);
  });

  it('brings files that hardlinks in the context share with files outside', async () => {
    const upload = ['store/f', 'app/D', 'app/one = store/f', 'app/two = store/f', 'app/three = app/D'];
    const [, entries] = await plan('app', 'app/D', ...upload);
    assert.deepEqual(entries, ['one (store/f)', 'D (app/D)', 'two = one', 'three = D']);
  });

  it('finds a Dockerfile that is a hardlink', async () => {
    const outside = await plan('app', 'deploy/D', 'store/f', 'deploy/D = store/f', 'app/x');
    assert.deepEqual(outside, ['.svc.Dockerfile', ['.svc.Dockerfile (store/f)', 'x (app/x)']]);
    const within = await plan('app', 'deploy/D', 'app/f', 'deploy/D = app/f');
    assert.deepEqual(within, ['f', ['f (app/f)']]);
    const both = await plan('app', 'deploy/D', 'deploy/D', 'app/x = deploy/D');
    assert.deepEqual(both, ['.svc.Dockerfile', ['.svc.Dockerfile (deploy/D)', 'x = .svc.Dockerfile']]);
  });

  it('says what is missing, and never looks outside the upload', async () => {
    const upload = ['Dockerfile', 'app/x', 'loop -> loop'];
    await invalid(
      'dockerfile_path',
      /There is no Dockerfile "Dockerfile.prod" in the upload/,
      '.',
      'Dockerfile.prod',
      ...upload,
    );
    await invalid('dockerfile_path', /is a folder/, '.', 'app', ...upload);
    await invalid('dockerfile_path', /There is no Dockerfile/, '.', 'loop', ...upload);
    await invalid('dockerfile_path', /There is no Dockerfile/, '.', '%2e%2e/Dockerfile', ...upload);
    await invalid('context_path', /There is no context folder "web"/, 'web', 'Dockerfile', ...upload);
    await invalid('context_path', /is no folder/, 'Dockerfile', 'Dockerfile', ...upload);
    for (const path of ['..', '../x', 'app/../../etc', './..']) {
      await invalid('context_path', /lies outside the upload/, path, 'Dockerfile', ...upload);
      await invalid('dockerfile_path', /lies outside the upload/, '.', path, ...upload);
    }
    await invalid('dockerfile_path', /is an absolute path/, '.', '/etc/passwd', ...upload);
  });
});
