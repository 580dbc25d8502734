/** Follows a deployment through its log: prints the lines as they come, and how long each phase took. */
import type { DeploymentPhase } from '../../specs/deployment.ts';
import { DeploymentReason } from '../../specs/reasons.ts';
import type { DeploymentLogLine, DeploymentLogStatus } from '../../specs/log-entry.ts';
import type { DeploymentResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import { pause } from '../client/follow.ts';
import { isTransient } from '../client/problem.ts';
import type { ServerSentEvent } from '../client/server-sent-events.ts';
import type { Context } from '../context.ts';
import { elapsed } from '../output/age.ts';
import { paletteFor } from '../output/colour.ts';
import { cleanLine, cleanText } from '../output/text.ts';
import { isSettled } from './verdict.ts';

/** Milliseconds between two looks at a deployment whose log has ended. */
const pollInterval = 500;

/** @returns the deployment once it has settled. Rejects with an AbortError when the user leaves. */
export async function followDeployment(
  context: Context,
  client: Client,
  id: string,
): Promise<DeploymentResource> {
  const signal = context.interrupted();
  const show = createDisplay(context);
  const onReconnect = (attempt: number) => {
    if (attempt === 3) context.stderr.write('The connection broke; trying again.\n');
  };
  for await (const event of client.followDeployment(id, { signal, onReconnect })) show(event);
  for (;;) {
    const deployment = await client.deployment(id, signal).catch((error: unknown) => {
      if (isTransient(error)) return undefined;
      throw error;
    });
    if (deployment !== undefined && isSettled(deployment.status)) return deployment;
    await pause(context.clock, pollInterval, signal);
  }
}

/** What a phase that is over is called. */
const finished: Readonly<Record<DeploymentPhase, string | undefined>> = {
  Pending: 'Waited for its turn',
  Building: 'Built',
  Starting: 'Released',
  Healthy: undefined,
  Failed: undefined,
  Stopped: undefined,
  Inactive: undefined,
};

function createDisplay({ clock, env, stdout, stderr }: Context): (event: ServerSentEvent) => void {
  const { green, dim } = paletteFor(stderr, env);
  let phase: DeploymentPhase = 'Pending';
  let since = clock.now();
  let isPull = false;

  function change({ status, reason, message: words }: DeploymentLogStatus): void {
    // The controller's own words name what it waits for as it was when this phase began.
    const message = reason === 'WaitingForHealth' ? 'Waiting until it is healthy.' : words;
    if (status === phase) {
      stderr.write(`${dim(cleanLine(message))}\n`);
      return;
    }
    const name = isPull ? 'Pulled' : finished[phase];
    isPull = reason === DeploymentReason.Pulling;
    const failed = status === 'Failed' || status === 'Stopped';
    const now = clock.now();
    // Hardly ever worth a line: only where something else was being built.
    const isWorthALine = name !== undefined && !failed && (phase !== 'Pending' || now - since > 1_000);
    if (isWorthALine) stderr.write(`${green('✓')} ${name} ${dim(elapsed(now - since))}\n`);
    if (!isSettled(status)) stderr.write(`${dim(cleanLine(message))}\n`);
    phase = status;
    since = now;
  }

  return ({ event, data }) => {
    if (event === 'log') stdout.write(`  ${cleanText((JSON.parse(data) as DeploymentLogLine).line)}\n`);
    else if (event === 'status') change(JSON.parse(data) as DeploymentLogStatus);
  };
}
