import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { differences } from '../../../cli/rollout/differences.ts';
import type { DeploymentResource } from '../../../specs/resources.ts';

const base = {
  ...{ image: 'sha256:1', commit: null, digest: null, port: 8080, listen: 'tcp', command: null, volumes: [] },
  health: { path: '/', interval: '1s', timeout: '5s', deadline: '2m', successes: 1 },
  ...{ env: { A: '1' }, secrets: { KEY: 1 }, resources: { cpus: 1, memory: '512Mi', pids: 512 } },
} as unknown as DeploymentResource;

describe('what two deployments differ in', () => {
  it('is nothing where both run the same, whatever else they are', () => {
    assert.deepEqual(differences(base, { ...base, number: 7, id: 'dep_2', status: 'Failed' }), []);
  });

  it('names what was changed, added and taken away, by field', () => {
    const after: DeploymentResource = {
      ...base,
      ...{ image: 'sha256:2', commit: 'abc', command: ['serve', '--fast now'] },
      env: { B: '2' },
      secrets: { KEY: 2 },
      health: { ...base.health, path: '/healthz' },
      resources: { ...base.resources, memory: '1Gi' },
      volumes: [
        { name: 'data', mount: '/data' },
        { host: 'certs', mount: '/certs' },
      ],
    };
    assert.deepEqual(
      differences(base, after).map(({ field, before, after: now }) => [field, before, now]),
      [
        ['command', undefined, '["serve","--fast now"]'],
        ['commit', undefined, 'abc'],
        ['env.A', '1', undefined],
        ['env.B', undefined, '2'],
        ['health.path', '/', '/healthz'],
        ['image', 'sha256:1', 'sha256:2'],
        ['resources.memory', '512Mi', '1Gi'],
        ['secrets.KEY', 'version 1', 'version 2'],
        ['volumes./certs', undefined, 'host path certs'],
        ['volumes./data', undefined, 'data'],
      ],
    );
  });
});
