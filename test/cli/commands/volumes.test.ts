import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { giveService, testApi } from '../../support/api.ts';
import { cli, clockOf, listening } from '../../support/cli.ts';
import { anId, aVolume, given } from '../../support/store.ts';

describe('svc volumes', () => {
  it('are those of the project that .svc names, if no flag names one', async (test) => {
    const api = await testApi(test);
    await giveService(api);
    const user = await cli(test, { url: await listening(api), token: api.token, clock: clockOf(api) });
    const unnamed = await user.svc('volumes', 'list');
    assert.equal(unnamed.code, 2);
    assert.match(unnamed.stderr, /Which project\?/);
    await writeFile(join(user.cwd, '.svc'), 'project = "shop"\n');
    assert.deepEqual(await user.svc('volumes', 'list'), await user.svc('volumes', 'list', '-p', 'shop'));
    const { code, stderr } = await user.svc('volumes', 'destroy', 'web.data', '--confirm', 'web.data');
    assert.equal(code, 4);
    assert.match(stderr, /Project "shop" has no volume "web\.data"\.\n.*svc volumes list -p shop/);
  });
});

/** A project with two volumes, of which the engine has one. */
async function world(test: TestContext) {
  const api = await testApi(test);
  const { project, service } = await giveService(api);
  const owner = { project_id: project.id, service: service.name };
  const at = '2030-01-01T00:00:00.000Z';
  const ready = { type: 'Ready', status: 'True', message: '', last_transition_at: at } as const;
  const volumes = [
    aVolume({
      owner: project.id,
      spec: owner,
      status: { engine_name: 'svc-1-data', conditions: [{ ...ready, reason: 'Ready' }] },
    }),
    aVolume({ id: anId('volume', 2), owner: project.id, spec: { ...owner, volume: 'cache' } }),
  ];
  await given(api.store, ...volumes);
  const user = await cli(test, { url: await listening(api), token: api.token, clock: clockOf(api) });
  const there = async (): Promise<string[]> =>
    (await api.store.list('Volume')).filter((row) => row.deleted_at === null).map(({ name }) => name);
  return { user, there };
}

describe('svc volumes list', () => {
  it('says whose each is, and whether it is there', async (test) => {
    const { user } = await world(test);
    const { code, stdout } = await user.svc('volumes', 'list', '-p', 'shop');
    assert.equal(code, 0);
    assert.match(stdout, /^NAME +SERVICE +STATUS +AGE\n/);
    assert.match(stdout, /^web\.data +web +Ready /m);
    assert.match(stdout, /^web\.cache +web +Creating /m);
  });
});

describe('svc volumes destroy', () => {
  it('destroys what is named twice, and nothing else', async (test) => {
    const { user, there } = await world(test);
    const done = await user.svc('volumes', 'destroy', 'web.data', '-p', 'shop', '--confirm', 'web.data');
    assert.deepEqual([done.code, done.stdout], [0, 'volume/web.data destroyed in shop\n'], done.stderr);
    assert.deepEqual(await there(), ['web.cache']);
    assert.match((await user.svc('volumes', 'list', '-p', 'shop')).stdout, /^web\.data +web +Destroying /m);
  });

  it('asks for the name on a terminal, and says what goes', async (test) => {
    const { user, there } = await world(test);
    const other = await user.type(['web.dat'], 'volumes', 'destroy', 'web.data', '-p', 'shop');
    assert.equal(other.code, 2);
    assert.match(other.stderr, /Destroys the volume web\.data of shop and all that is in it, for good\./);
    assert.match(other.stderr, /Nothing was changed: something else was typed\./);
    assert.equal((await there()).length, 2);
    assert.equal((await user.type(['web.data'], 'volumes', 'destroy', 'web.data', '-p', 'shop')).code, 0);
    assert.deepEqual(await there(), ['web.cache']);
  });

  it('is refused where there is nobody to ask, and when --confirm says something else', async (test) => {
    const { user, there } = await world(test);
    const silent = await user.svc('volumes', 'destroy', 'web.data', '-p', 'shop');
    assert.equal(silent.code, 2);
    assert.match(silent.stderr, /give --confirm web\.data/);
    const wrong = await user.svc('volumes', 'destroy', 'web.data', '-p', 'shop', '--confirm', 'web');
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /--confirm says "web", and the volume is web\.data\. Nothing was destroyed\./);
    assert.equal((await there()).length, 2);
  });
});
