/** Waits until a service has got where a command sent it, or will not. */
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import { pause } from '../client/follow.ts';
import { isTransient } from '../client/problem.ts';
import type { Context } from '../context.ts';
import { CliError, ExitCode } from '../errors.ts';
import { cleanText } from '../output/text.ts';
import { verdictOf, type Goal } from './verdict.ts';

export interface SettleOptions {
  client: Client;
  /** As the write answered it. */
  service: ServiceResource;
  goal: Goal;
  /** Milliseconds. */
  timeout: number;
}

export interface Settled {
  service: ServiceResource;
  /** The one that serves; undefined after a stop. */
  deployment: DeploymentResource | undefined;
}

/**
 * Looks until the goal is reached, and says on stderr what it waits for. Throws CliError: failed (1), timed out (8).
 * A node that is out of reach for a while (it may be restarting) is asked again until the time is over.
 */
export async function settle(
  context: Context,
  { client, service, goal, timeout }: SettleOptions,
): Promise<Settled> {
  const { clock, stderr } = context;
  const signal = context.interrupted();
  const deadline = clock.now() + timeout;
  let said = '';
  const say = (message: string) => {
    if (message !== said) stderr.write(`${cleanText(message)}\n`);
    said = message;
  };
  for (let wait = 100; ; wait = Math.min(wait * 1.5, 1_000)) {
    try {
      const current = await client.service(service.id, signal);
      const verdict = verdictOf(goal, current, await involved(client, current, goal, signal));
      if (verdict.state === 'reached') return { service: current, deployment: verdict.deployment };
      if (verdict.state === 'failed')
        throw new CliError(ExitCode.failed, verdict.message, seeDescription(service));
      say(verdict.message);
    } catch (error) {
      if (!isTransient(error)) throw error;
      say('The node is out of reach; trying again.');
    }
    if (clock.now() >= deadline) {
      throw new CliError(
        ExitCode.timedOut,
        `It has not settled in time. The node goes on with it.`,
        seeDescription(service),
      );
    }
    await pause(clock, Math.min(wait, Math.max(deadline - clock.now(), 0)), signal);
  }
}

async function involved(
  client: Client,
  service: ServiceResource,
  goal: Goal,
  signal: AbortSignal,
): Promise<DeploymentResource[]> {
  const ids =
    goal.want === 'serving'
      ? [goal.deployment]
      : [service.promoted_deployment_id, service.target_deployment_id];
  const distinct = new Set(ids.filter((id) => id !== null));
  return Promise.all([...distinct].map((id) => client.deployment(id, signal)));
}

function seeDescription({ project, name }: ServiceResource): { next: string } {
  return { next: `See: svc describe service ${name} -p ${project}` };
}
