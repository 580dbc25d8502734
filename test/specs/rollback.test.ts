import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rollbackFault, type Mountable } from '../../specs/rollback.ts';
import type { Row } from '../../specs/index.ts';
import { aDeployment, aVolume, anId } from '../support/store.ts';

const at = '2030-01-01T00:00:00.000Z';
const image = `sha256:${'a'.repeat(64)}`;
const rollout = { target: anId('deployment', 2), running: true };
const { workload } = aDeployment().spec;
const data = { name: 'data', mount: '/data' };
const media = { host: 'media', mount: '/media' };

const before = (volumes: typeof workload.volumes, promoted_at: string | null = at): Row<'Deployment'> =>
  aDeployment({
    spec: { workload: { ...workload, ...(volumes === undefined ? {} : { volumes }) } },
    status: { phase: 'Inactive', image, promoted_at },
  });
const lost = aVolume({
  status: {
    engine_name: 'svc-x-web.data',
    conditions: [
      { type: 'Ready', status: 'False', reason: 'Lost', message: 'Lost.', last_transition_at: at },
    ],
  },
});
const none: Mountable = { volumes: [], hostPaths: [] };

describe('a deployment with mounts', () => {
  for (const [what, row, mountable, said] of [
    ['mounts nothing', before(undefined), none, undefined],
    ['has its volume', before([data]), { ...none, volumes: [aVolume()] }, undefined],
    ['never served, so that its volume may never have been made', before([data], null), none, undefined],
    [
      'had its volume destroyed',
      before([data]),
      none,
      /volume data of deployment 1 was destroyed.*Push again/,
    ],
    [
      'lost its volume',
      before([data]),
      { ...none, volumes: [lost] },
      /lost the volume web\.data.*Restore it/,
    ],
    ['may mount what it mounts of the host', before([media]), { ...none, hostPaths: ['media'] }, undefined],
    ['may no longer mount that', before([media]), none, /host path media.*SERVICE_HOST_PATHS/],
  ] as const)
    it(`that ${what} ${said === undefined ? 'can be rolled back to' : 'says why not'}`, () => {
      const fault = rollbackFault(row, rollout, mountable);
      if (said === undefined) assert.equal(fault, undefined);
      else assert.match(fault ?? '', said);
    });
});
