/** Judges from what the API shows whether a service has got where a command sent it. Pure. */
import type { DeploymentPhase } from '../../specs/deployment.ts';
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';

/** What a command asked for. */
export type Goal =
  | { want: 'stopped' }
  /** This deployment serves; after a restart, with replicas of this epoch or a later one. */
  | { want: 'serving'; deployment: string; epoch?: number };

export type Verdict =
  | { state: 'waiting'; message: string }
  | { state: 'reached'; deployment: DeploymentResource | undefined }
  | { state: 'failed'; message: string };

/** A phase in which nothing more will happen by itself; the table of specs/deployment.ts without its library. */
const settled: Readonly<Record<DeploymentPhase, boolean>> = {
  Pending: false,
  Building: false,
  Starting: false,
  Healthy: true,
  Failed: true,
  Stopped: true,
  Inactive: true,
};

export function isSettled(phase: DeploymentPhase): boolean {
  return settled[phase];
}

/** @param deployments those that the goal is about: the wanted one, or whatever may still run */
export function verdictOf(
  goal: Goal,
  service: ServiceResource,
  deployments: readonly DeploymentResource[],
): Verdict {
  return goal.want === 'stopped' ? stopped(service, deployments) : serving(goal, service, deployments);
}

function stopped(service: ServiceResource, deployments: readonly DeploymentResource[]): Verdict {
  if (service.running) return { state: 'failed', message: 'Somebody started the service again meanwhile.' };
  const running = deployments.filter(({ status }) => !settled[status] || status === 'Healthy');
  if (running.length > 0) return { state: 'waiting', message: 'Taking it out of routing.' };
  const replicas = deployments.flatMap((deployment) => deployment.replicas).length;
  if (replicas > 0)
    return {
      state: 'waiting',
      message: `Waiting for ${replicas === 1 ? 'one replica' : `${replicas} replicas`} to end.`,
    };
  return { state: 'reached', deployment: undefined };
}

function serving(
  goal: Goal & { want: 'serving' },
  service: ServiceResource,
  deployments: readonly DeploymentResource[],
): Verdict {
  const { target_deployment_id: target, promoted_deployment_id: promoted } = service;
  const deployment = deployments.find(({ id }) => id === goal.deployment);
  if (!service.running) return { state: 'failed', message: 'Somebody stopped the service meanwhile.' };
  if (deployment === undefined || (target !== goal.deployment && promoted !== goal.deployment)) {
    return { state: 'failed', message: 'A newer rollout took its place.' };
  }
  return progress(deployment, promoted === goal.deployment, goal.epoch);
}

/** @param epoch that its replicas must have, or a later one; undefined: any */
function progress(deployment: DeploymentResource, isPromoted: boolean, epoch: number | undefined): Verdict {
  const { status, reason, message } = deployment;
  const reaches = (reached: number | null) => epoch === undefined || (reached ?? -1) >= epoch;
  const restartFailed = epoch !== undefined && reaches(deployment.failed_epoch);
  if (status === 'Failed') return { state: 'failed', message };
  if (restartFailed) return { state: 'failed', message: whyRestartFailed(deployment) };
  if (status === 'Healthy' && isPromoted && reaches(deployment.epoch))
    return { state: 'reached', deployment };
  // Before its controller has looked, it shows how it was: no news yet.
  const isNews = !settled[status] || reason === 'WaitingForHealth';
  return { state: 'waiting', message: isNews ? message : 'Waiting for the node to take it up.' };
}

/** The message of the deployment soon says again that it is serving; its condition keeps why. */
function whyRestartFailed({ conditions, message }: DeploymentResource): string {
  const restarted = conditions.find(({ type, status }) => type === 'Restarted' && status === 'False');
  return restarted?.message ?? message;
}
