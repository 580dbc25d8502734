import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { candidates, parseEndpoint } from '../../../controllers/engine/endpoint.ts';

describe('parseEndpoint', () => {
  it('reads sockets and addresses', () => {
    assert.deepEqual(parseEndpoint('unix:///run/docker.sock'), { kind: 'unix', path: '/run/docker.sock' });
    assert.deepEqual(parseEndpoint('tcp://10.0.0.1:2376'), { kind: 'tcp', host: '10.0.0.1', port: 2376 });
    assert.deepEqual(parseEndpoint('tcp://builder'), { kind: 'tcp', host: 'builder', port: 2375 });
    assert.deepEqual(parseEndpoint('tcp://[::1]:1'), { kind: 'tcp', host: '[::1]', port: 1 });
  });

  for (const text of [
    '',
    'docker',
    'unix://',
    'unix://relative.sock',
    `unix:///${'x'.repeat(107)}`,
    'tcp://',
    'tcp://host:port',
    'tcp://host:1/path',
    'tcp://user@host:1',
    'ssh://host',
    'http://host',
  ]) {
    it(`refuses "${text.slice(0, 40)}" and says how it is written`, () => {
      assert.throws(() => parseEndpoint(text), { code: 'refused', message: /must be|must have/ });
    });
  }
});

describe('candidates', () => {
  it('tries $DOCKER_HOST, then Docker, then Podman as root and as the user', () => {
    assert.deepEqual(candidates({ DOCKER_HOST: 'tcp://far:2375', XDG_RUNTIME_DIR: '/run/user/1000' }), [
      'tcp://far:2375',
      'unix:///var/run/docker.sock',
      'unix:///run/podman/podman.sock',
      'unix:///run/user/1000/podman/podman.sock',
    ]);
  });

  it('leaves out what it cannot speak to', () => {
    for (const DOCKER_HOST of ['ssh://far', 'npipe:////./pipe/docker', ''])
      assert.deepEqual(candidates({ DOCKER_HOST }), [
        'unix:///var/run/docker.sock',
        'unix:///run/podman/podman.sock',
      ]);
  });
});
