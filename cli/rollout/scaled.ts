/** Waits until a service has as many replicas as it should, and says how far that is. */
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import { pause } from '../client/follow.ts';
import { isTransient } from '../client/problem.ts';
import type { Context } from '../context.ts';
import { CliError, ExitCode } from '../errors.ts';

/** Milliseconds that replicas may take without anything becoming better. */
const patience = 120_000;

/**
 * Resolves when all are ready and those that are too many are gone; also when there is nothing to wait for, because the service is
 * stopped or nothing of it serves. Throws CliError (8) when nothing happens any more, and an AbortError when the user leaves.
 */
export async function scaled(
  context: Context,
  client: Client,
  { id, project, name }: ServiceResource,
): Promise<void> {
  const { clock, stderr } = context;
  const signal = context.interrupted();
  let deadline = clock.now() + patience;
  let said = '';
  for (let wait = 100; ; wait = Math.min(wait * 1.5, 1_000)) {
    const progress = await look(client, id, signal).catch((error: unknown) => {
      if (isTransient(error)) return 'The node is out of reach; trying again.';
      throw error;
    });
    if (progress === undefined) return;
    if (progress !== said) {
      stderr.write(`${progress}\n`);
      said = progress;
      deadline = clock.now() + patience;
    }
    if (clock.now() >= deadline) {
      throw new CliError(ExitCode.timedOut, `${progress} It is saved, and the node goes on with it.`, {
        next: `See: svc describe service ${name} -p ${project}`,
      });
    }
    await pause(clock, wait, signal);
  }
}

/** What is still to be waited for; undefined: nothing. */
async function look(client: Client, id: string, signal: AbortSignal): Promise<string | undefined> {
  const service = await client.service(id, signal);
  const { running, promoted_deployment_id: promoted } = service;
  if (!running || promoted === null) return undefined;
  return progressOf(service, await client.deployment(promoted, signal));
}

/** Pure. */
export function progressOf(
  { replicas: wanted }: Pick<ServiceResource, 'replicas'>,
  { replicas }: Pick<DeploymentResource, 'replicas'>,
): string | undefined {
  const ready = replicas.filter(({ phase }) => phase === 'Ready').length;
  if (ready < wanted) return `${ready} of ${wanted} replicas are ready.`;
  const over = replicas.length - wanted;
  if (over <= 0) return undefined;
  return `Waiting for ${over === 1 ? 'one replica' : `${over} replicas`} to end.`;
}
