/** What a pass over a deployment decides. Types only. */
import type { DeploymentPhase, Receipt, Takeover } from '../../specs/deployment.ts';
import type { DeploymentReason, Reason } from '../../specs/reasons.ts';
import type { Step } from './step.ts';

export interface Decision {
  steps: Step[];
  phase: DeploymentPhase;
  reason: Reason<typeof DeploymentReason>;
  message: string;
  /** The image that was built or taken over. */
  image?: string;
  /** The engine has lost its image. */
  imageLost?: true;
  /** A restart to this epoch failed while an older one goes on serving. */
  failedRestart?: { epoch: number; reason: Decision['reason'] };
  /** Nobody watches it any longer: it stays, or, with phase Failed, routing goes back to the one before. */
  endBake?: 'keep' | 'take back';
  /** Its replicas stand by, so that routing can go back to them. */
  standsBy?: true;
  /** What was counted of its takeover. */
  receipt?: Receipt;
  /** What it is reckoned from; null once the receipt is final. */
  takeover?: Takeover | null;
  requeueAfter?: number;
  /** Wake when the ingress has something new to say. */
  awaitRoutes?: true;
}
