/** The data plane as the control plane sees it. The only file of this folder that others import. */
import type { Clock } from '../specs/clock.ts';
import type { Ingress, IngressOptions } from './ingress.ts';
import { defaultLimits, type Limits } from './supervisor/limits.ts';
import { currentProgram, type Program } from './supervisor/program.ts';
import { Supervisor } from './supervisor/supervisor.ts';

export { UnreachedError } from './acknowledgement.ts';
export { admit, dial } from './dial.ts';
export { ingressUser } from './run-dir.ts';
export type { CertificatePair } from './certificate-files.ts';
export type { Ingress, IngressLog, IngressOptions, WorkerState } from './ingress.ts';
export type { BridgeEntry, ParkLimits, ServiceRoute, Snapshot, Upstream } from './snapshot.ts';
export { latencyBuckets, noTraffic } from './traffic.ts';
export type { ServiceTotals, Traffic, TrafficTotals } from './traffic.ts';

export interface IngressDeps {
  clock: Clock;
  /** What to run; by default the workers and the bridge of this checkout. */
  program?: Program;
  /** Milliseconds; see supervisor/limits.ts. */
  limits?: Partial<Limits>;
}

export function createIngress(options: IngressOptions, deps: IngressDeps): Ingress {
  return new Supervisor(options, {
    clock: deps.clock,
    program: deps.program ?? currentProgram(),
    limits: { ...defaultLimits, ...deps.limits },
  });
}
