import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { checkHostPaths } from '../../../cli/daemon/host-paths.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

it('lets projects have directories that are there, and none that leads to the node or its engine', async () => {
  const root = temporaryDirectory();
  for (const name of ['media/inner', 'node/ingress', 'run', 'engine'])
    await mkdir(join(root, name), { recursive: true });
  await writeFile(join(root, 'file'), '');
  await symlink(join(root, 'node'), join(root, 'link'));
  const guarded = {
    ...{ dataDir: join(root, 'node'), runDir: join(root, 'run') },
    endpoint: `unix://${join(root, 'engine/docker.sock')}`,
  };
  const check = (readOnly: boolean, ...paths: string[]): void =>
    checkHostPaths(
      paths.map((path, n) => ({ project: 'shop', name: `path-${n}`, path, readOnly })),
      guarded,
    );
  check(false, join(root, 'media'));
  check(true, join(root, 'media'), join(root, 'media/inner'));
  check(true, '/etc/ssl');
  for (const [path, message] of [
    [join(root, 'missing'), /there is no .*missing: make it first/],
    [join(root, 'file'), /is no directory/],
    [join(root, 'link'), /is behind a symbolic link: write .*node/],
    [join(root, 'link/ingress'), /is behind a symbolic link/],
    [join(root, 'node'), /which no workload may have/],
    [join(root, 'node/ingress'), /which no workload may have/],
    [join(root, 'run'), /which no workload may have/],
    [join(root, 'engine'), /which no workload may have/],
    [root, /which no workload may have/],
    ['/proc', /which no workload may have/],
    ['/run', /which no workload may have/],
    ['/var/lib', /which no workload may have/],
  ] as const)
    assert.throws(() => check(true, path), message, path);
  assert.throws(() => check(false, '/etc/ssl'), /which no workload may have/);
  assert.throws(() => check(false, join(root, 'media'), join(root, 'media/inner')), /may write to/);
});
