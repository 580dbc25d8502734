/** What a pass over a deployment decides. Types only. */
import type { DeploymentPhase } from '../../specs/deployment.ts';
import type { DeploymentReason, Reason } from '../../specs/reasons.ts';
import type { Step } from './steps.ts';

export interface Decision {
  steps: Step[];
  phase: DeploymentPhase;
  reason: Reason<typeof DeploymentReason>;
  message: string;
  /** The image that was built or taken over. */
  image?: string;
  /** A restart to this epoch failed while an older one goes on serving. */
  failedRestart?: { epoch: number; reason: Decision['reason'] };
  requeueAfter?: number;
}
