import assert from 'node:assert/strict';
import { mkdir, rmdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { checkHostPaths, hostPathFaults } from '../../../cli/daemon/host-paths.ts';
import { recordingLog } from '../../support/recording-log.ts';
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

it('sees that a link has taken the place of a directory since', async () => {
  const root = temporaryDirectory();
  for (const name of ['media', 'secret', 'node', 'run']) await mkdir(join(root, name));
  const guarded = { dataDir: join(root, 'node'), runDir: join(root, 'run'), endpoint: 'tcp://127.0.0.1:1' };
  const entry = { project: 'shop', name: 'media', path: join(root, 'media'), readOnly: false };
  const log = recordingLog();
  const faultOf = hostPathFaults(guarded, log);
  checkHostPaths([entry], guarded);
  assert.equal(faultOf(entry), undefined);
  await rmdir(entry.path);
  assert.match(faultOf(entry) ?? '', /there is no /);
  await symlink(join(root, 'secret'), entry.path);
  assert.match(faultOf(entry) ?? '', /is behind a symbolic link/);
});
