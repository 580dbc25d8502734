/** Sums a pass up: the Ready condition of a service. Pure. */
import { setConditions, type Finding } from '../../specs/conditions.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import { ServiceReason } from '../../specs/reasons.ts';
import type { ServiceStatus } from '../../specs/service.ts';
import type { Observed } from './observe.ts';

export function summarize(
  row: Row<'Service'>,
  observed: Observed,
  now: number,
): Pick<ServiceStatus, 'conditions'> {
  return { conditions: setConditions(row.status.conditions, [readiness(row, observed)], timestamp(now)) };
}

function readiness(row: Row<'Service'>, { ready }: Observed): Finding {
  const type = 'Ready';
  const { replicas, rollout } = row.spec;
  if (row.status.promoted === null) {
    return {
      type,
      status: 'False',
      reason: ServiceReason.NotDeployed,
      message: 'Nothing was deployed yet: run svc push.',
    };
  }
  if (!rollout.running)
    return {
      type,
      status: 'False',
      reason: ServiceReason.Stopped,
      message: 'Stopped on request: svc start starts it.',
    };
  if (ready === 0)
    return {
      type,
      status: 'False',
      reason: ServiceReason.NoHealthyReplica,
      message: 'None of its replicas is ready.',
    };
  return {
    type,
    status: 'True',
    reason: ServiceReason.Serving,
    message: `${ready} of ${replicas} replicas are ready.`,
  };
}
