/** How a deployment ended, in words. Pure. */
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import { CliError, ExitCode } from '../errors.ts';

/**
 * The error of a deployment that did not make it; undefined for one that did.
 * @param before the service as it was before the deployment
 */
export function failureOf(deployment: DeploymentResource, before: ServiceResource): CliError | undefined {
  const { id, number, status, reason, message } = deployment;
  if (status !== 'Failed' && status !== 'Stopped') return undefined;
  const what = status === 'Failed' ? 'failed' : 'was stopped';
  const serving =
    before.promoted_deployment_id !== null && before.running
      ? 'What was deployed before goes on serving.'
      : 'Nothing is serving.';
  // A newer deployment, or a stop, has decided what serves now.
  const next = [...(status === 'Failed' ? [serving] : []), `See the whole log: svc logs --deployment ${id}`];
  return new CliError(ExitCode.failed, `Deployment ${number} ${what} (${reason}): ${message}`, {
    code: reason,
    next: next.join('\n'),
  });
}
