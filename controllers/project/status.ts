/** Sums a pass up: the project's network and the Ready condition. Pure. */
import { setConditions } from '../../specs/conditions.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import { ProjectReason } from '../../specs/reasons.ts';
import type { ProjectStatus } from '../../specs/project.ts';

export function summarize(
  row: Row<'Project'>,
  known: Pick<ProjectStatus, 'subnet' | 'network'>,
  now: number,
): ProjectStatus {
  const finding =
    known.network === null
      ? ({
          type: 'Ready',
          status: 'False',
          reason: ProjectReason.NetworkPending,
          message: 'Its network is being made.',
        } as const)
      : ({
          type: 'Ready',
          status: 'True',
          reason: ProjectReason.NetworkReady,
          message: 'Its network is there.',
        } as const);
  return { ...known, conditions: setConditions(row.status.conditions, [finding], timestamp(now)) };
}
