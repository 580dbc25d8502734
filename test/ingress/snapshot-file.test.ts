import assert from 'node:assert/strict';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { readSnapshot, snapshotPath, writeSnapshot } from '../../ingress/snapshot-file.ts';
import { routesTo } from './support/replicas.ts';
import { sandbox } from './support/sandbox.ts';

test('what was written is read, the last one counts, and only the node may read it', async (t) => {
  const { stateDir } = await sandbox(t);
  assert.equal(readSnapshot(stateDir), undefined);
  for (const revision of [1, 2])
    await writeSnapshot(stateDir, { revision, ...routesTo({ web: { r: '/s' } }) });
  assert.deepEqual(readSnapshot(stateDir), { revision: 2, ...routesTo({ web: { r: '/s' } }) });
  assert.equal((await stat(snapshotPath(stateDir))).mode & 0o777, 0o600);
  assert.deepEqual((await readdir(stateDir)).sort(), ['compile-cache', 'snapshot.json']);
});

test('one of a version that knew less has the defaults', async (t) => {
  const { stateDir } = await sandbox(t);
  const older = { name: 'web', project: 'shop', running: true, replicas: ['r'] };
  const text = {
    revision: 1,
    hosts: {},
    services: { svc_1: older },
    upstreams: {},
    bridges: {},
    control: null,
  };
  await writeFile(snapshotPath(stateDir), JSON.stringify(text));
  assert.deepEqual(readSnapshot(stateDir)?.services['svc_1'], { ...older, drain_ms: 30_000, park: null });
});

for (const text of [
  '',
  '{',
  'null',
  '[]',
  '{"revision":"1"}',
  '{"revision":1}',
  '{"revision":1,"hosts":null,"services":{},"upstreams":{},"bridges":{}}',
]) {
  test(`${JSON.stringify(text)} is no snapshot`, async (t) => {
    const { stateDir } = await sandbox(t);
    await writeFile(snapshotPath(stateDir), text);
    assert.throws(() => readSnapshot(stateDir));
  });
}
