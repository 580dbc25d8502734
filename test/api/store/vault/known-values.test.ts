import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { OpenStore } from '../../../../api/store/open.ts';
import { aSecret, seal } from '../../../support/secrets.ts';
import { anId, aProject, aStore } from '../../../support/store.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const { owner, project } = aSecret();

describe('what is known to be secret in a project', () => {
  let store: OpenStore;
  let file: string;
  let count = 0;
  const open = () => aStore({ file });
  const reopen = async (): Promise<void> => {
    await store.close();
    store = await open();
  };

  beforeEach(async () => {
    file = join(directory, `${++count}.db`);
    store = await open();
  });
  afterEach(() => store.close());

  it('once it is committed, and not before', async () => {
    const seen: (readonly string[])[] = [];
    await store.write(async (writer) => {
      await writer.seal(aSecret());
      seen.push(store.vault.secretsOf(project));
    });
    seen.push(store.vault.secretsOf(project));
    assert.deepEqual(seen, [[], ['hunter2']]);
  });

  it('before anybody hears of the change', async () => {
    let known: readonly string[] = [];
    store.onChange(() => (known = store.vault.secretsOf(project)));
    await store.write(async (writer) => {
      await writer.create('Project', aProject());
      await writer.seal(aSecret());
    });
    assert.deepEqual(known, ['hunter2']);
  });

  it('without what was rolled back', async () => {
    await seal(store, aSecret());
    await assert.rejects(
      store.write(async (writer) => {
        await writer.seal(aSecret({ value: 'newer' }));
        await writer.dropSealed(owner, { kind: 'env', name: 'TOKEN', version: 1 });
        throw new Error('no');
      }),
      /no/,
    );
    assert.deepEqual(store.vault.secretsOf(project), ['hunter2']);
    assert.deepEqual(await seal(store, aSecret({ value: 'newer' })), [2]);
  });

  it('with every version, each value once, and without what was dropped, of other projects or an answer', async () => {
    await seal(
      store,
      ...[aSecret({ value: 'first' }), aSecret({ value: 'second' }), aSecret({ name: 'B', value: 'first' })],
      ...[aSecret({ kind: 'registry-password', name: '', owner: 'reg_1', value: 'third' })],
      ...[aSecret({ kind: 'deploy-key', name: '', owner: 'key_1', value: 'fourth' })],
      ...[
        aSecret({ kind: 'answer', value: 'an answer' }),
        aSecret({ kind: 'certificate-key', value: 'a key' }),
      ],
      ...[aSecret({ name: 'C', project: anId('project', 2), value: 'elsewhere' })],
    );
    const expected = ['first', 'second', 'third', 'fourth'];
    assert.deepEqual(store.vault.secretsOf(project), expected);
    await reopen();
    assert.deepEqual([...store.vault.secretsOf(project)].sort(), expected.toSorted());
    await store.write((writer) => writer.dropSealed(owner, { kind: 'env', name: 'TOKEN' }));
    assert.deepEqual([...store.vault.secretsOf(project)].sort(), ['first', 'fourth', 'third']);
    assert.deepEqual(store.vault.secretsOf(anId('project', 2)), ['elsewhere']);
    assert.deepEqual(store.vault.secretsOf(anId('project', 3)), []);
  });

  it('as the same array until something changes', async () => {
    await seal(store, aSecret());
    const first = store.vault.secretsOf(project);
    await seal(store, aSecret(), aSecret({ project: anId('project', 2), name: 'B' }));
    assert.equal(store.vault.secretsOf(project), first);
    await seal(store, aSecret({ value: 'newer' }));
    assert.notEqual(store.vault.secretsOf(project), first);
    assert.equal(store.vault.secretsOf(anId('project', 3)), store.vault.secretsOf(anId('project', 4)));
  });
});
