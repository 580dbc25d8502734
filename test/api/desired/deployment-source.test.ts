import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sourceFaults, sourceOf } from '../../../api/desired/deployment-source.ts';

const service_id = 'svc_1';
const git = { repo_url: 'git@git.example.com:team/app.git', git_ref: 'main' };

describe('sourceFaults', () => {
  for (const body of [
    { service_id, upload_id: 'upl_1' },
    { service_id, ...git },
    { service_id, repo_url: git.repo_url },
    { service_id, image: 'nginx', context_path: '.' },
  ])
    it(`leaves ${JSON.stringify(body)} to the schemas`, () => assert.deepEqual(sourceFaults(body), []));

  for (const body of [null, [], 'text', 7])
    it(`leaves ${JSON.stringify(body)} to the schemas`, () => assert.deepEqual(sourceFaults(body), []));

  it('tells a mixture in one sentence', () => {
    const faults = sourceFaults({ service_id, upload_id: 'upl_1', git_ref: 'main', image: 'nginx' });
    assert.deepEqual(faults, [
      {
        path: '',
        message:
          'names more than one source (upload_id, git_ref, image): send only one of upload_id, repo_url with git_ref, or image',
      },
    ]);
  });

  it('says which fields there are, or which one was meant', () => {
    assert.deepEqual(sourceFaults({ service_id }), [
      { path: '', message: 'names no source: send upload_id, repo_url with git_ref, or image' },
    ]);
    assert.deepEqual(sourceFaults({ service_id, imge: 'nginx' }), [
      { path: '/imge', message: 'is unknown here; did you mean image?' },
    ]);
  });
});

describe('sourceOf', () => {
  it('keeps a Git source as it was asked for, with its paths', () => {
    assert.deepEqual(sourceOf({ service_id, ...git, context_path: './app/' }), {
      source: { git: { ...git, dockerfile_path: 'Dockerfile', context_path: 'app' } },
      violations: [],
    });
  });

  it('tells everything that is wrong with it at once', () => {
    const body = {
      service_id,
      repo_url: 'file:///etc',
      git_ref: '-x',
      dockerfile_path: '/x',
      context_path: '..',
    };
    const paths = sourceOf(body).violations.map(({ path }) => path);
    assert.deepEqual(paths, ['/dockerfile_path', '/context_path', '/repo_url', '/git_ref']);
  });

  it('takes an image by its reference', () => {
    assert.deepEqual(sourceOf({ service_id, image: 'nginx:1.27' }), {
      source: { image: 'nginx:1.27' },
      violations: [],
    });
    assert.deepEqual(
      sourceOf({ service_id, image: 'NGINX!' }).violations.map(({ path }) => path),
      ['/image'],
    );
  });
});
