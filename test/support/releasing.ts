/** The real controller of services over a test API, with a stand-in for that of deployments. */
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { serviceReconciler } from '../../controllers/service/reconcile.ts';
import type { DeploymentStatus } from '../../specs/deployment.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { TestApi } from './api.ts';
import { reach } from './released.ts';

/** The good end. */
const healthy: DeploymentEnd = { phase: 'Healthy', reason: 'Promoted', message: 'Serving.', epoch: 0 };

export type DeploymentEnd = Pick<DeploymentStatus, 'phase' | 'reason' | 'message'> &
  Partial<DeploymentStatus>;

/**
 * Services are looked after from now on: changes are released, deletions carried out.
 * @param end what becomes of every deployment, at once
 */
export function lookAfterServices(api: TestApi, end: DeploymentEnd = healthy): void {
  const { store, clock } = api;
  const reconcile = serviceReconciler({
    ...{ store, clock, random: randomBytes },
    // What it tells of is in the rows.
    events: { record: () => undefined },
    engine: { removeImage: () => Promise.resolve() },
    removeLogs: () => Promise.resolve(),
  });
  // One pass after the other, as the manager has it.
  let passes: Promise<unknown> = Promise.resolve();
  const next = (pass: () => Promise<unknown>) => {
    passes = passes.then(() => setImmediate()).then(pass);
    // The store closes under the last of them: the test is over.
    passes = passes.catch((error: unknown) => {
      if (!(error instanceof ProblemError) || error.code !== 'unavailable') throw error;
    });
  };
  store.onChange(({ kind, id, owner, by }) => {
    if (kind === 'Service' && by !== 'purged') next(() => settled(id));
    if ((kind !== 'Deployment' && kind !== 'Upload') || owner === null) return;
    if (by === 'deleted') next(() => store.write((writer) => writer.purge(kind, id)));
    if (by === 'spec' && kind === 'Deployment') next(() => bringToItsEnd(api, id, end));
    next(() => settled(owner));
  });

  async function settled(id: string): Promise<void> {
    const context = { signal: new AbortController().signal };
    while ((await reconcile(id, context))?.requeueAfter === 0);
  }
}

async function bringToItsEnd(
  { store, logs, ...api }: TestApi,
  id: string,
  end: DeploymentEnd,
): Promise<void> {
  const row = await store.get('Deployment', id);
  if (!row?.owner || row.status.phase === end.phase) return;
  const { phase, reason, message } = end;
  logs.append(id, { event: 'status', at: row.created_at, status: phase, reason, message });
  await reach({ store, logs, ...api }, row, phase, end);
  const service = await store.get('Service', row.owner);
  if (!service || phase !== 'Healthy') return;
  const promoted = { promoted: id, previous: service.status.promoted };
  await store.patchStatus('Service', service.id, service.observed_generation, promoted);
}
