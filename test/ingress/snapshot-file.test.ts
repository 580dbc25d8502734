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
