/** What the end of a try means for its run. Pure. */
import type { Row } from '../../specs/index.ts';
import type { Reason, RunReason } from '../../specs/reasons.ts';
import type { ContainerState } from '../engine/engine.ts';

export interface Verdict {
  phase: 'Succeeded' | 'Failed' | 'Stopped';
  reason: Reason<typeof RunReason>;
  message: string;
}

/**
 * Of a try that has ended, or (without an exit) whose container is gone. What was told to end is judged by that, whatever
 * code it found to end with; what had ended by itself before the word reached it, by its code.
 */
export function verdictOf({ spec, status }: Row<'Run'>, exit: ContainerState['exit']): Verdict {
  const { reason } = status;
  if (reason === 'DeadlineExceeded') {
    const message = `It ran for longer than its deadline of ${spec.deadline}, and was stopped.`;
    return { phase: 'Failed', reason, message };
  }
  if (reason === 'Stopping') return { phase: 'Stopped', reason: 'Stopped', message: 'Stopped on request.' };
  if (exit === null) return failed('ContainerGone', 'Its container was removed by somebody else.');
  if (exit.outOfMemory)
    return failed('OutOfMemory', 'Its command was killed over its memory limit: raise resources.memory.');
  if (exit.code === 0)
    return { phase: 'Succeeded', reason: 'Succeeded', message: 'Its command ended with code 0.' };
  return failed('Exited', `Its command ended with code ${exit.code}${meaningOf(exit.code)}.`);
}

function failed(reason: Verdict['reason'], message: string): Verdict {
  return { phase: 'Failed', reason, message };
}

/** As shells and the init of a container have it. */
function meaningOf(code: number): string {
  if (code === 127) return ': there is no such command in the image';
  if (code === 126) return ': what it names cannot be run';
  return code === 137 ? ': it was killed' : '';
}
