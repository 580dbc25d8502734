/** Follows a deployment to its end and says how it ended, or that the user left. */
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../errors.ts';
import { elapsed } from '../output/age.ts';
import { paletteFor } from '../output/colour.ts';
import { cleanLine } from '../output/text.ts';
import { followDeployment } from './follow-deployment.ts';
import { failureOf } from './outcome.ts';
import { receiptLine, watchLine } from './receipt.ts';

export interface SeenThrough {
  deployment: Pick<DeploymentResource, 'id' | 'number'>;
  /** As it was before the deployment. */
  service: ServiceResource;
  /** When the command began, milliseconds since the epoch. */
  since: number;
}

/** @returns the exit code; throws CliError for a deployment that failed or was stopped */
export async function seeThrough(
  context: Context,
  client: Client,
  { deployment: { id, number }, service, since }: SeenThrough,
): Promise<number> {
  const { clock, env, stdout, stderr } = context;
  const signal = context.interrupted();
  let settled;
  try {
    settled = await followDeployment(context, client, id);
  } catch (error) {
    if (!signal.aborted) throw error;
    stderr.write(
      `\nDetached: the node goes on with deployment ${number}.\nFollow it with: svc logs --deployment ${id} -f\nCancel it with: svc stop --deployment ${id}\n`,
    );
    return ExitCode.interrupted;
  }
  const failure = failureOf(settled, service);
  if (failure !== undefined) throw failure;
  const { green, dim } = paletteFor(stdout, env);
  const word = settled.status === 'Healthy' ? 'Healthy' : 'Healthy, and replaced by a newer deployment since';
  const urls = service.urls.map(cleanLine).join(' ');
  const facts = [
    elapsed(clock.now() - since),
    ...(settled.receipt === null ? [] : [receiptLine(settled.receipt)]),
    watchLine(settled, clock.now()) ?? [],
  ].flat();
  stdout.write(`${green(word)}${urls === '' ? '' : `: ${urls}`} ${dim(`(${facts.join(', ')})`)}\n`);
  return ExitCode.done;
}
