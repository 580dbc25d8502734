/** Sums a pass up: the conditions of a service. Pure. */
import { setConditions, type Finding } from '../../specs/conditions.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import type { Reason, ServiceReason } from '../../specs/reasons.ts';
import type { ServiceStatus } from '../../specs/service.ts';
import type { Configuration } from './configuration.ts';
import type { Observed } from './observe.ts';

/** A finding with a reason of the list. */
type ServiceFinding = Finding & { reason: Reason<typeof ServiceReason> };

export function summarize(
  row: Row<'Service'>,
  observed: Observed,
  configuration: Configuration,
  now: number,
): Pick<ServiceStatus, 'conditions'> {
  const findings =
    row.deleted_at === null
      ? [readiness(row, observed), configured(configuration), ...limits(row, observed)]
      : deletion(observed);
  return { conditions: setConditions(row.status.conditions, findings, timestamp(now)) };
}

function readiness(row: Row<'Service'>, { ready }: Observed): ServiceFinding {
  const { replicas, rollout } = row.spec;
  const no = (reason: ServiceFinding['reason'], message: string): ServiceFinding => {
    return { type: 'Ready', status: 'False', reason, message };
  };
  if (row.status.promoted === null) return no('NotDeployed', 'Nothing was deployed yet: run svc push.');
  if (!rollout.running) return no('Stopped', 'Stopped on request: svc start starts it.');
  if (ready === 0) return no('NoHealthyReplica', 'None of its replicas is ready.');
  const message = `${ready} of ${replicas} replicas are ready.`;
  return { type: 'Ready', status: 'True', reason: 'Serving', message };
}

/** Said once there is something to say. */
function limits({ status }: Row<'Service'>, { limitsRefused }: Observed): ServiceFinding[] {
  const type = 'Limits';
  if (limitsRefused !== undefined)
    return [{ type, status: 'False', reason: 'LimitsRefused', message: limitsRefused }];
  if (!status.conditions.some((found) => found.type === type)) return [];
  const message = 'Its replicas have the limits that were asked for.';
  return [{ type, status: 'True', reason: 'LimitsInForce', message }];
}

function configured(configuration: Configuration): ServiceFinding {
  const no = (reason: ServiceFinding['reason'], message: string): ServiceFinding => {
    return { type: 'Configured', status: 'False', reason, message };
  };
  switch (configuration.state) {
    case 'incomplete': {
      const names = configuration.missing.join(', ');
      return no(
        'SecretMissing',
        `These secrets have no value: ${names}. Nothing new is deployed until svc secrets set gives them one.`,
      );
    }
    case 'waiting': {
      const { number } = configuration.deployment.spec;
      return no('ReleasePending', `The change is released once deployment ${number} has come to its end.`);
    }
    case 'stopped':
      return no('ReleasePending', 'The change is released once the service is started.');
    case 'due':
    case 'resized':
    case 'released':
      return {
        type: 'Configured',
        status: 'True',
        reason: 'Configured',
        message: 'Nothing is left to release.',
      };
  }
}

/** What a deletion waits for: its deployments drain and remove their replicas; then their images and logs go. */
function deletion({ deployments, replicas, uploads, domains, jobs }: Observed): ServiceFinding[] {
  const left = [
    ...[count(deployments, 'deployment'), count(replicas, 'replica'), count(uploads, 'upload')],
    ...[count(domains, 'domain'), count(jobs, 'job')],
  ];
  const what = left.filter((part) => part !== '').join(', ');
  const trouble = troubleOf(replicas, deployments);
  const reason = trouble === undefined ? 'Deleting' : 'EngineUnavailable';
  const message = `Waiting for what belongs to it to be removed: ${what || 'its logs'}.`;
  const deleted = trouble === undefined ? message : `${message} ${trouble}`;
  return [
    { type: 'Ready', status: 'False', reason: 'Deleting', message: 'It is being deleted.' },
    { type: 'Deleted', status: 'False', reason, message: deleted },
  ];
}

function count(rows: readonly unknown[], noun: string): string {
  return rows.length === 0 ? '' : `${rows.length} ${noun}${rows.length === 1 ? '' : 's'}`;
}

/** What the engine said that keeps one of them. */
function troubleOf(
  replicas: readonly Row<'Replica'>[],
  deployments: readonly Row<'Deployment'>[],
): string | undefined {
  const conditions = replicas.flatMap(({ status }) => status.conditions);
  return (
    conditions.find(({ type, reason }) => type === 'Ready' && reason === 'EngineUnavailable')?.message ??
    deployments.find(({ status }) => status.reason === 'EngineUnavailable')?.status.message
  );
}
