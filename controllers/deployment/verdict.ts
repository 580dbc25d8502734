/** Says why a release did not become healthy, with everything a person needs to mend it. Pure. */
import type { Row } from '../../specs/index.ts';
import type { DeploymentReason, Reason } from '../../specs/reasons.ts';
import { gateDeadline } from './gate.ts';
import type { ReplicaView } from './observe.ts';

/** How many lines of output a verdict quotes. */
const quotedLines = 20;

export interface Verdict {
  reason: Reason<typeof DeploymentReason>;
  message: string;
}

export function rowsOf(candidates: readonly ReplicaView[]): Row<'Replica'>[] {
  return candidates.map(({ row }) => row);
}

/** The verdict on replicas that are being gated, or undefined while there is hope. */
export function gateVerdict(
  candidates: ReplicaView[],
  row: Row<'Deployment'>,
  now: number,
): Verdict | undefined {
  const dead = candidates.find(({ row: r }) => r.status.phase === 'Exited');
  if (dead) return died(dead);
  if (now < gateDeadline(rowsOf(candidates), row, now)) return undefined;
  const slow = candidates.find(({ row: r }) => r.status.phase !== 'Ready');
  const { path, deadline } = row.spec.workload.health;
  const answer = slow?.row.status.probe ?? unasked(slow);
  return {
    reason: 'HealthCheckFailed',
    message: quote(
      `No good answer from ${path} within ${deadline}. The last probe: ${answer}.`,
      slow?.output ?? [],
    ),
  };
}

/** No probe was answered before the deadline: it may be shorter than the timeout of a single probe. */
function unasked(slow: ReplicaView | undefined): string {
  return (slow?.row.status.started_at ?? null) === null ? 'nothing was there to ask' : 'no answer in time';
}

/**
 * What the init in a container prints when it cannot run the workload's command: tini (Docker), catatonit (Podman). The
 * engine knows nothing of it: to it the init started, and ended with 126 or 127 as shells do.
 */
const unrunnable = /^(?:\[FATAL tini|ERROR \(catatonit)/;

function died({ row, output }: ReplicaView): Verdict {
  const exit = row.status.last_exit;
  if (exit === null) {
    const ready = row.status.conditions.find((condition) => condition.type === 'Ready');
    const why = ready?.message ?? 'no reason was given';
    if (ready?.reason === 'SecretUnavailable' || ready?.reason === 'MountUnavailable')
      return { reason: ready.reason, message: why };
    return { reason: 'StartFailed', message: `The engine could not start it: ${why}` };
  }
  const init = output.at(-1) ?? '';
  if ((exit.code === 126 || exit.code === 127) && unrunnable.test(init))
    return { reason: 'StartFailed', message: `The workload's command cannot be run: ${init}` };
  if (exit.out_of_memory) {
    return {
      reason: 'OutOfMemory',
      message: quote(
        'The workload was killed over its memory limit before it was healthy: raise resources.memory.',
        output,
      ),
    };
  }
  return {
    reason: 'WorkloadExited',
    message: quote(`The workload exited with code ${exit.code} before it was healthy.`, output),
  };
}

function quote(sentence: string, output: string[]): string {
  if (output.length === 0) return `${sentence} It printed nothing.`;
  return `${sentence} Its last lines:\n${output
    .slice(-quotedLines)
    .map((line) => `  ${line}`)
    .join('\n')}`;
}
