import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { giveService } from '../../support/api.ts';
import { deploymentsOf, healthy, pushWorld } from '../../support/pushing.ts';

const url = 'git@git.example.com:team/site.git';

describe('svc push --git', () => {
  it('asks for the repository at a ref, and packs nothing', async (test) => {
    const world = await pushWorld(test, { ends: healthy });
    await giveService(world.api);
    const pushed = await world.user.svc('push', '--git', url, '--ref', 'v1', '--context', 'app');
    assert.equal(pushed.code, 0, pushed.stderr);
    const [deployment] = await deploymentsOf(world);
    assert.deepEqual(deployment?.source, {
      git: { repo_url: url, git_ref: 'v1', dockerfile_path: 'Dockerfile', context_path: 'app' },
    });
    assert.deepEqual(await world.api.store.list('Upload'), []);
  });

  it('takes the default branch, and needs no Dockerfile here', async (test) => {
    const world = await pushWorld(test, { ends: healthy });
    await giveService(world.api);
    assert.equal(
      (await world.user.svc('push', '--git', url, '--path', '/', '-p', 'shop', '-s', 'web')).code,
      0,
    );
    const [deployment] = await deploymentsOf(world);
    assert.ok(deployment && 'git' in deployment.source && deployment.source.git.git_ref === 'HEAD');
  });

  it('refuses what does not go together, and says what the node says of an address', async (test) => {
    const { api, user } = await pushWorld(test);
    await giveService(api);
    assert.equal((await user.svc('push', '--ref', 'v1')).code, 2);
    const refused = await user.svc('push', '--git', 'https://ada:secret@git.example.com/x');
    assert.equal(refused.code, 5);
    assert.match(refused.stderr, /deploy-key generate/);
    assert.doesNotMatch(refused.stderr, /ada:secret/);
  });
});
