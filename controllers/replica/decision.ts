/** What a pass over a replica decides. Types only. */
import type { ReplicaReason, Reason } from '../../specs/reasons.ts';
import type { Exit, ReplicaPhase } from '../../specs/replica.ts';
import type { Step } from './steps.ts';

export interface Decision {
  steps: Step[];
  phase: ReplicaPhase;
  reason: Reason<typeof ReplicaReason>;
  message: string;
  /** What was changed by hand, in words: the steps put it right. */
  drift?: string[];
  /** The steps give it other limits, as somebody asked. */
  resize?: true;
  /** A death that was not on record yet. */
  exit?: { last_exit: Exit | null; served?: boolean; crashes: number; restart_at: string };
  requeueAfter?: number;
  /** Wake when the ingress has something new to say. */
  awaitRoutes?: true;
}
