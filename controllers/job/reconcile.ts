/** One pass over one job: observe, plan, apply, and status once. Nothing here decides. */
import type { Condition } from '../../specs/conditions.ts';
import type { EventRecorder } from '../../specs/event.ts';
import type { Row } from '../../specs/index.ts';
import { JobReason } from '../../specs/reasons.ts';
import type { Reconcile } from '../runtime/reconciler.ts';
import { observe } from './observe.ts';
import { plan } from './plan.ts';
import { summarize } from './status.ts';
import { apply, type StepDeps } from './steps.ts';

export interface JobDeps extends StepDeps {
  events: EventRecorder;
}

export function jobReconciler(deps: JobDeps): Reconcile {
  const { store, clock } = deps;
  return async (id) => {
    const row = await store.get('Job', id);
    if (!row) return undefined;
    const now = clock.now();
    const decision = plan(row, await observe(row, store), now);
    for (const step of decision.steps) await apply(step, row, deps);
    if (decision.steps.some((step) => step.do === 'purge')) return undefined;
    const status = summarize(row, decision, now);
    await store.patchStatus('Job', id, row.generation, status);
    recordMissed(row, status.conditions, deps.events);
    return decision.requeueAfter === undefined ? undefined : { requeueAfter: decision.requeueAfter };
  };
}

/** Times that passed while nobody could keep them, as the condition begins to say. */
function recordMissed(
  { id, name, spec, owner, status }: Row<'Job'>,
  conditions: readonly Condition[] = [],
  events: EventRecorder,
): void {
  const missed = conditions.find(({ reason }) => reason === JobReason.Missed);
  const isKnown = status.conditions.some(
    ({ reason, message }) => reason === missed?.reason && message === missed.message,
  );
  if (!missed || isKnown) return;
  const of = { project_id: owner ?? '', service_id: spec.service_id, name };
  const { reason, message } = missed;
  events.record({ kind: 'Job', object: id, ...of, type: 'Warning', reason, message });
}
