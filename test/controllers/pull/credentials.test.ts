import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { createRegistry } from '../../../api/desired/registry.ts';
import { credentialsOf } from '../../../controllers/pull/credentials.ts';
import { PullError } from '../../../controllers/pull/failure.ts';
import { newId } from '../../../specs/meta.ts';
import { aProject, memoryStore } from '../../support/store.ts';

const project = aProject();
const account = { username: 'ada', password: 'correct-horse' };

async function storeWith(t: TestContext, ...servers: string[]) {
  const store = await memoryStore([project]);
  t.after(() => store.close());
  let serial = 0;
  const id = (kind: Parameters<typeof newId>[0]) => newId(kind, 0, new Uint8Array(10).fill(++serial));
  for (const server of servers)
    await createRegistry({ store, newId: id }, project.id, { server, ...account });
  return store;
}

it('opens the password of the registry that an image is of', async (t) => {
  const store = await storeWith(t, 'ghcr.io', 'ghcr.io:5000');
  const credentials = credentialsOf({ store, vault: store.vault });
  assert.deepEqual(await credentials(project.id, 'ghcr.io'), { server: 'ghcr.io', ...account });
  assert.deepEqual(await credentials(project.id, 'ghcr.io:5000'), { server: 'ghcr.io:5000', ...account });
});

it('has none for other registries, and none of other projects', async (t) => {
  const store = await storeWith(t, 'ghcr.io');
  const credentials = credentialsOf({ store, vault: store.vault });
  for (const registry of ['ghcr.io:443', 'evil-ghcr.io', 'docker.io'])
    assert.equal(await credentials(project.id, registry), undefined);
  assert.equal(await credentials('prj_other', 'ghcr.io'), undefined);
});

for (const server of ['docker.io', 'index.docker.io', 'registry-1.docker.io'])
  it(`knows Docker Hub as ${server}`, async (t) => {
    const store = await storeWith(t, server);
    const credentials = credentialsOf({ store, vault: store.vault });
    assert.deepEqual(await credentials(project.id, 'docker.io'), { server, ...account });
  });

it('says what to do about a password that cannot be opened', async (t) => {
  const store = await storeWith(t, 'ghcr.io');
  const [registry] = await store.list('Registry', { owner: project.id });
  await store.write((writer) => writer.dropSealed(registry?.id ?? ''));
  await assert.rejects(credentialsOf({ store, vault: store.vault })(project.id, 'ghcr.io'), (error) => {
    assert.ok(error instanceof PullError);
    assert.equal(error.reason, 'RegistryDenied');
    assert.match(
      error.message,
      /svc registries remove ghcr\.io, then svc registries add ghcr\.io --username ada/,
    );
    return true;
  });
});
