/** What a pass over a deployment sees, for tables of cases. */
import type { Decision } from '../../../controllers/deployment/decision.ts';
import type { Observed, ReplicaView } from '../../../controllers/deployment/observe.ts';
import type { Row } from '../../../specs/index.ts';
import { anId, aReplica, aService, type Said } from '../../support/store.ts';

export const begun = Date.parse('2030-01-01T00:00:00.000Z');
export const image = `sha256:${'a'.repeat(64)}`;

/** A service that wants aDeployment(). */
export const target = (said: Said<'Service'> = {}): Row<'Service'> => {
  const rollout = { target: anId('deployment'), running: true, epoch: 0, configured: null };
  return aService({ ...said, spec: { rollout, ...said.spec } });
};

export const seen = (said: Partial<Observed> = {}): Observed => ({
  service: target(),
  replicas: [],
  leaving: 0,
  subnet: '10.210.0.0/24',
  build: undefined,
  base: undefined,
  baseImage: undefined,
  builtImage: undefined,
  engineError: undefined,
  releaseJobs: [],
  siblings: [],
  target: undefined,
  routed: [],
  warm: [],
  traffic: undefined,
  drained: true,
  isIdle: true,
  ...said,
});

export const replica = (said: Said<'Replica'> = {}, output: string[] = []): ReplicaView => {
  return { row: aReplica(said), output };
};

export function verdict({ phase, reason, steps }: Decision): [string, string, string[]] {
  return [phase, reason, steps.map((step) => step.do)];
}
