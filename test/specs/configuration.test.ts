import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { workloadOf } from '../../specs/configuration.ts';
import { mayRun } from '../../specs/deployment.ts';
import { aService, releaseDefaults } from '../support/store.ts';

describe('workloadOf', () => {
  it('is what runs of a service: neither its replicas nor how it is released', () => {
    const { spec } = aService({ spec: { env: { A: '1' }, secrets: { KEY: 2 } } });
    const { port, listen, health, env, resources } = spec;
    assert.deepEqual(workloadOf(spec), {
      workload: { port, listen, health, env, secrets: { KEY: 2 }, resources },
    });
    const other = { replicas: 9, tls_enabled: true, release: { ...releaseDefaults, drain: '1s', keep: 1 } };
    assert.deepEqual(workloadOf({ ...spec, ...other }), workloadOf(spec));
  });

  it('names the secrets without a value instead, however they are called', () => {
    const named = (...names: [string, number | null][]) =>
      workloadOf(aService({ spec: { secrets: Object.fromEntries(names) } }).spec);
    assert.deepEqual(named(['Z', null], ['OK', 1], ['A', null]), { missing: ['A', 'Z'] });
    assert.deepEqual(named(['__proto__', null]), { missing: ['__proto__'] });
    const configuration = named(['__proto__', 3]);
    assert.ok('workload' in configuration);
    assert.deepEqual(Object.entries(configuration.workload.secrets), [['__proto__', 3]]);
  });
});

it('a deployment may run while it is under way or has an image, unless it failed', () => {
  const image = 'sha256:1';
  for (const [phase, without, withOne] of [
    ['Pending', true, true],
    ['Building', true, true],
    ['Starting', true, true],
    ['Healthy', false, true],
    ['Inactive', false, true],
    ['Stopped', false, true],
    ['Failed', false, false],
  ] as const) {
    const answers = [mayRun({ phase, image: null }), mayRun({ phase, image })];
    assert.deepEqual(answers, [without, withOne], phase);
  }
});
