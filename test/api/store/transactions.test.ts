import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { OpenStore } from '../../../api/store/open.ts';
import type { Change } from '../../../api/store/store.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { anId, aProject, aService, aStore, given } from '../../support/store.ts';

describe('transactions', () => {
  const log = recordingLog();
  const id = anId('service');
  let store: OpenStore;
  let changes: Change[];

  beforeEach(async () => {
    store = await aStore({ log });
    changes = [];
    store.onChange((change) => changes.push(change));
  });
  afterEach(() => store.close());

  it('leave nothing behind when they throw, and publish nothing', async () => {
    const work = store.write(async (writer) => {
      await writer.create('Project', aProject());
      await writer.create('Service', aService());
      throw new Error('no');
    });
    await assert.rejects(work, { message: 'no' });
    assert.deepEqual(await store.list('Project'), []);
    assert.deepEqual(await store.list('Service'), []);
    assert.deepEqual(changes, []);
    await given(store, aProject());
    assert.equal((await store.list('Project')).length, 1);
  });

  it('see their own writes', async () => {
    const found = await store.write(async (writer) => {
      await writer.create('Service', aService());
      await writer.updateSpec('Service', id, (spec) => ({ ...spec, replicas: 7 }));
      return writer.get('Service', id);
    });
    assert.equal(found?.spec.replicas, 7);
    assert.equal(found.generation, 2);
  });

  it('are never seen half done', async () => {
    const steps: string[] = [];
    const { promise: halfDone, resolve: goOn } = Promise.withResolvers<undefined>();
    const writing = store.write(async (writer) => {
      await writer.create('Project', aProject());
      await halfDone;
      await writer.create('Service', aService());
      steps.push('written');
    });
    await new Promise(setImmediate);
    const reading = store.list('Project').then(async (projects) => {
      steps.push(`read ${projects.length} and ${(await store.list('Service')).length}`);
    });
    await new Promise(setImmediate);
    assert.deepEqual(steps, []);
    goOn(undefined);
    await Promise.all([writing, reading]);
    assert.deepEqual(steps, ['written', 'read 1 and 1']);
  });

  it('run one after the other', async () => {
    await given(store, aService({ spec: { port: 1 } }));
    const raise = () =>
      store.write(async (writer) => {
        const port = ((await writer.get('Service', id))?.spec.port ?? 0) + 1;
        await new Promise(setImmediate);
        return writer.updateSpec('Service', id, (spec) => ({ ...spec, port }));
      });
    await Promise.all(Array.from({ length: 50 }, raise));
    const row = await store.get('Service', id);
    assert.equal(row?.spec.port, 51);
    assert.equal(row.generation, 51);
  });

  it('go on after one has failed', async () => {
    const outcomes = await Promise.allSettled([
      given(store, aProject()),
      given(store, aProject({ id: anId('project', 2) })),
      given(store, aProject({ id: anId('project', 3), name: 'other' })),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  it('may go on after a refused name', async () => {
    await given(store, aProject());
    await store.write(async (writer) => {
      await assert.rejects(writer.create('Project', aProject({ id: anId('project', 2) })), {
        code: 'conflict',
      });
      await writer.create('Project', aProject({ id: anId('project', 3), name: 'other' }));
    });
    assert.equal((await store.list('Project')).length, 2);
  });

  it('refuse the store inside, which would wait for itself', async () => {
    const message = /use its writer/;
    await assert.rejects(
      store.write(() => store.list('Project')),
      message,
    );
    await assert.rejects(
      store.write(() => store.write((writer) => writer.list('Project'))),
      message,
    );
    await assert.rejects(
      store.write(() => store.patchStatus('Project', anId('project'), 1, {})),
      message,
    );
    assert.deepEqual(await store.list('Project'), []);
  });

  it('do not bind what they start but do not wait for', async () => {
    let later: Promise<unknown> | undefined;
    await store.write((writer) => {
      later = new Promise(setImmediate).then(() => store.list('Project'));
      return writer.create('Project', aProject());
    });
    assert.equal(((await later) as unknown[]).length, 1);
  });

  it('end their writer with them', async () => {
    const writer = await store.write((inner) => Promise.resolve(inner));
    await assert.rejects(writer.create('Project', aProject()), /transaction is over/);
    await assert.rejects(writer.list('Project'), /transaction is over/);
    assert.deepEqual(await store.list('Project'), []);
  });

  it('are published after the commit, in order, before the next one runs', async () => {
    const seen: string[] = [];
    store.onChange(({ by, generation }) => seen.push(`${by} ${generation}`));
    const rename = (replicas: number) =>
      store.write((writer) => {
        seen.push(`writing ${replicas}`);
        return writer.updateSpec('Service', id, (spec) => ({ ...spec, replicas }));
      });
    await Promise.all([
      given(store, aService()),
      rename(2),
      store.patchStatus('Service', id, 1, {}),
      rename(3),
    ]);
    assert.deepEqual(seen, ['spec 1', 'writing 2', 'spec 2', 'status 2', 'writing 3', 'spec 3']);
  });

  it('let a listener read what it was told of', async () => {
    const names: Promise<string | undefined>[] = [];
    store.onChange((change) => void names.push(store.get('Project', change.id).then((row) => row?.name)));
    await given(store, aProject());
    assert.deepEqual(await Promise.all(names), ['shop']);
  });

  it('survive a listener that throws, and log it', async () => {
    const off = store.onChange(() => {
      throw new Error('listener');
    });
    const after: Change[] = [];
    store.onChange((change) => after.push(change));
    await given(store, aProject());
    assert.deepEqual(after, changes);
    assert.equal(after.length, 1);
    assert.equal(log.lines.filter(({ level }) => level === 'error').length, 1);
    off();
    await given(store, aService());
    assert.equal(log.lines.filter(({ level }) => level === 'error').length, 1);
  });

  it('finish before the store closes, and are refused then', async () => {
    const writing = given(store, aProject());
    await Promise.all([writing, store.close()]);
    await assert.rejects(store.list('Project'), { code: 'unavailable' });
    await assert.rejects(given(store, aService()), { code: 'unavailable' });
    store = await aStore({ log });
  });
});
