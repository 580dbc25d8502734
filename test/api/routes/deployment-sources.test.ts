/** POST /v1/deployments: exactly one of three sources. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeploymentResource } from '../../../specs/resources.ts';
import { giveService, testApi } from '../../support/api.ts';

const git = { repo_url: 'git@git.example.com:team/app.git', git_ref: 'main' };

describe('POST /v1/deployments', () => {
  it('takes a Git source, as it was asked for', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const made = await api.call('POST', '/v1/deployments', { service_id: service.id, ...git });
    assert.equal(made.status, 202, made.text);
    const { source, commit } = made.json<DeploymentResource>();
    assert.deepEqual(source, { git: { ...git, dockerfile_path: 'Dockerfile', context_path: '.' } });
    assert.equal(commit, null);
  });

  for (const [what, body, errors] of [
    [
      'hostile addresses and refs',
      { repo_url: 'ext::sh -c id', git_ref: '--upload-pack=x' },
      { '/repo_url': /^has a form/, '/git_ref': /^must not begin with a hyphen/ },
    ],
    [
      'a mixture',
      { ...git, image: 'nginx' },
      { '': /^names more than one source \(repo_url, git_ref, image\)/ },
    ],
    ['nothing', {}, { '': /^names no source/ }],
    ['half of one', { repo_url: git.repo_url }, { '/git_ref': /^is required/ }],
    ['a typo', { ...git, dockerfile_pth: 'x' }, { '/dockerfile_pth': /did you mean dockerfile_path/ }],
    ['paths with an image', { image: 'nginx', context_path: '.' }, { '/context_path': /^is unknown here/ }],
  ] as const) {
    it(`refuses ${what}, with pointers, and changes nothing`, async (t) => {
      const api = await testApi(t);
      const { service } = await giveService(api);
      const answer = await api.call('POST', '/v1/deployments', { service_id: service.id, ...body });
      assert.equal(answer.status, 422);
      const found = answer.problem().errors ?? [];
      assert.deepEqual(
        found.map(({ path }) => path),
        Object.keys(errors),
      );
      for (const [index, pattern] of Object.values(errors).entries())
        assert.match(found[index]?.message ?? '', pattern);
      assert.deepEqual(await api.store.list('Deployment'), []);
    });
  }

  it('repeats no password that stood in an address', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const repo_url = 'https://ada:hunter2@git.example.com/x.git';
    const answer = await api.call('POST', '/v1/deployments', {
      service_id: service.id,
      repo_url,
      git_ref: 'main',
    });
    assert.match(answer.problem().errors?.[0]?.message ?? '', /deploy-key generate/);
    assert.equal(
      [answer.text, api.log(), JSON.stringify(await api.store.list('Deployment'))].join().includes('hunter2'),
      false,
    );
  });
});
