/**
 * Decides how a deployment comes to its image: it is built or pulled, or, where only the configuration changed, taken over
 * from the deployment before. Pure.
 */
import type { Row } from '../../specs/index.ts';
import type { Decision } from './decision.ts';
import type { Observed } from './observe.ts';
import type { Step } from './steps.ts';

/** A build or a pull that takes longer than this has failed. Milliseconds. */
export const buildLimitMs = 30 * 60_000;

const waitingForHealth = { phase: 'Starting', reason: 'WaitingForHealth', requeueAfter: 0 } as const;

/** What is said of a build, and of a pull. */
const words = {
  build: {
    done: 'The image is built.',
    running: { reason: 'Building', message: 'The image is being built.' },
    queued: 'Waiting for its turn to build.',
    overdue: {
      reason: 'BuildTimedOut',
      message: `The build took longer than ${buildLimitMs / 60_000} minutes.`,
    },
  },
  pull: {
    done: 'The image is pulled.',
    running: { reason: 'Pulling', message: 'The image is being pulled.' },
    queued: 'Waiting for its turn to be pulled.',
    overdue: {
      reason: 'PullTimedOut',
      message: `The pull took longer than ${buildLimitMs / 60_000} minutes.`,
    },
  },
} as const;

const wordsFor = ({ spec }: Row<'Deployment'>) => ('image' in spec.source ? words.pull : words.build);

export function obtain(row: Row<'Deployment'>, observed: Observed, now: number): Decision {
  return row.spec.reuse === null ? build(row, observed, now) : takeOver(row, observed, now);
}

function build(row: Row<'Deployment'>, observed: Observed, now: number): Decision {
  const { build: job, builtImage, engineError } = observed;
  const image = job?.state === 'done' ? job.image : builtImage;
  if (image !== undefined) {
    const steps: Step[] = job ? [{ do: 'forgetBuild' }] : [];
    return { steps, image, message: wordsFor(row).done, ...waitingForHealth };
  }
  if (job?.state === 'failed' && !job.transient) {
    const { reason, message } = job.reason === 'BuildTimedOut' ? wordsFor(row).overdue : job;
    return { steps: [{ do: 'forgetBuild' }], phase: 'Failed', reason, message };
  }
  if (!isOverdue(row, now)) return goesOn(row, observed);
  const steps: Step[] = job ? [{ do: 'forgetBuild' }] : [];
  return engineError === undefined
    ? { steps, phase: 'Failed', ...wordsFor(row).overdue }
    : { steps, ...engineLost(engineError) };
}

function goesOn(row: Row<'Deployment'>, { build: job, engineError }: Observed): Decision {
  const trouble = engineError ?? (job?.state === 'failed' ? job.message : undefined);
  if (trouble !== undefined) {
    const steps: Step[] = engineError === undefined ? [{ do: 'forgetBuild' }] : [];
    return { steps, phase: 'Building', ...waitingForEngine(trouble) };
  }
  if (job?.state === 'running') return { steps: [], phase: 'Building', ...wordsFor(row).running };
  const steps: Step[] = job ? [] : [{ do: 'startBuild' }];
  return { steps, phase: 'Pending', reason: 'Queued', message: wordsFor(row).queued };
}

/** Under a tag of its own, so that giving up the image of either deployment leaves the other its. */
function takeOver(row: Row<'Deployment'>, observed: Observed, now: number): Decision {
  const { builtImage, base, baseImage, engineError } = observed;
  if (builtImage !== undefined)
    return { steps: [], image: builtImage, message: 'The image is there.', ...waitingForHealth };
  if (engineError !== undefined) {
    return isOverdue(row, now)
      ? { steps: [], ...engineLost(engineError) }
      : { steps: [], phase: 'Pending', ...waitingForEngine(engineError) };
  }
  const of = base ? `deployment ${base.spec.number}` : 'the deployment before';
  if (baseImage === undefined) {
    const message = `The image of ${of} is no longer there: push again.`;
    return { steps: [], phase: 'Failed', reason: 'ImageGone', message };
  }
  return {
    steps: [{ do: 'tagImage', image: baseImage }],
    phase: 'Pending',
    reason: 'Reusing',
    message: `A configuration change of ${of}: it takes over its image, nothing is built.`,
    requeueAfter: 0,
  };
}

function isOverdue({ status }: Row<'Deployment'>, now: number): boolean {
  return status.building_at !== null && now - Date.parse(status.building_at) > buildLimitMs;
}

function engineLost(engineError: string): Pick<Decision, 'phase' | 'reason' | 'message'> {
  const message = `The engine was out of reach: ${engineError}`;
  return { phase: 'Failed', reason: 'EngineUnavailable', message };
}

function waitingForEngine(trouble: string): Pick<Decision, 'reason' | 'message' | 'requeueAfter'> {
  return { reason: 'EngineUnavailable', message: `Waiting for the engine: ${trouble}`, requeueAfter: 2_000 };
}
