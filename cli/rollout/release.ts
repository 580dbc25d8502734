/** Finds out what a node makes of a changed configuration: a deployment of the same image, or nothing. */
import type { ServiceResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import { pause } from '../client/follow.ts';
import { isTransient } from '../client/problem.ts';
import type { Context } from '../context.ts';
import { CliError, ExitCode } from '../errors.ts';
import { cleanLine } from '../output/text.ts';

/** Milliseconds that a controller may take to look at a service: it does so at once, unless the node is restarting. */
const patience = 60_000;

/**
 * The service once its controller has seen the change: its target is the release, if there is one. A release that waits for
 * a deployment that is under way is waited for, and that is said.
 * @param generation of the service after the write
 * Throws CliError (8) when nobody looks at it, and an AbortError when the user leaves.
 */
export async function takenUp(
  context: Context,
  client: Client,
  { id, project, name }: ServiceResource,
  generation: number,
): Promise<ServiceResource> {
  const { clock, stderr } = context;
  const signal = context.interrupted();
  let deadline = clock.now() + patience;
  let said = '';
  for (let wait = 50; ; wait = Math.min(wait * 1.5, 1_000)) {
    const service = await client.service(id, signal).catch((error: unknown) => {
      if (isTransient(error)) return undefined;
      throw error;
    });
    if (service !== undefined && service.observed_generation >= generation) return service;
    const pending = service && unreleased(service);
    if (pending !== undefined) {
      deadline = clock.now() + patience;
      if (pending !== said) stderr.write(`${pending}\n`);
      said = pending;
    }
    if (clock.now() >= deadline) {
      throw new CliError(ExitCode.timedOut, 'It is saved, but the node has not taken it up in time.', {
        next: `See: svc describe service ${name} -p ${project}`,
      });
    }
    await pause(clock, wait, signal);
  }
}

/** Why a change that was taken up made no deployment. */
export function whyNothing(service: ServiceResource): string {
  if (service.target_deployment_id === null) return 'Nothing runs yet: the first deployment will have it.';
  return unreleased(service) ?? 'It takes no new deployment: what runs goes on.';
}

/** What its controller says of a change that is not released yet. */
function unreleased({ conditions }: ServiceResource): string | undefined {
  const found = conditions.find(({ type, status }) => type === 'Configured' && status === 'False');
  return found && cleanLine(found.message);
}
