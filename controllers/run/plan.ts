/**
 * Decides what a run needs next. Pure. The state diagram is in specs/job.ts.
 *
 * A verdict is written before the container that it is about goes: a control plane that is killed in between finds either the
 * container or the verdict, so that nothing is judged, or run, twice.
 */
import { durationMs } from '../../specs/duration.ts';
import type { Row } from '../../specs/index.ts';
import { isOver, type RunPhase } from '../../specs/job.ts';
import type { Reason, RunReason } from '../../specs/reasons.ts';
import type { ContainerState } from '../engine/engine.ts';
import { driftOf } from './drift.ts';
import type { Observed } from './observe.ts';
import type { Step } from './steps.ts';
import { verdictOf } from './verdict.ts';

export interface Decision {
  steps: Step[];
  phase: RunPhase;
  reason: Reason<typeof RunReason>;
  message: string;
  /** What was changed by hand, in words: the steps put it right. */
  drift?: string[];
  /** What of it cannot be put right, in a sentence. */
  lasting?: string;
  /** The try is over, with this code where it has one. */
  ended?: { code: number | null };
  /** When the next try begins. */
  retryAt?: number;
  requeueAfter?: number;
}

/** Pause before the second try, doubled for every further one. Milliseconds. */
const backoff = { first: 1_000, longest: 300_000 };
/** Milliseconds after which the wall clock is looked at again: it may be set while timers run. */
const clockLook = 60_000;
/** Milliseconds between two looks at what nobody tells of: another run, a network in the making, an engine that is away. */
const pause = { other: 250, network: 200, engine: 2_000 };

export function plan(row: Row<'Run'>, observed: Observed, now: number): Decision {
  if (isOver(row.status.phase)) return over(row, observed);
  const { container } = observed;
  if (row.status.retry_at !== null) return between(row, observed, now);
  if (container?.state === 'exited') return judge(row, container, now);
  if (row.status.container !== null && !container) return judge(row, undefined, now);
  if (isUnwanted(row)) return end(row, observed);
  if (container?.state === 'running') return running(row, container, observed, now);
  const start: Step[] = [{ do: 'start' }, { do: 'follow' }];
  if (container) return mended(row, container, observed, { steps: start, ...going, requeueAfter: 0 });
  return row.status.tries > 0
    ? { steps: [{ do: 'create' }, ...start], ...going, requeueAfter: 0 }
    : prepare(row, observed);
}

const going = { phase: 'Running', reason: 'Running', message: 'Its command runs.' } as const;

function isUnwanted({ spec, deleted_at: deleted }: Row<'Run'>): boolean {
  return spec.stopped || deleted !== null;
}

/** Nothing more happens but that its containers go, and, when that is asked for, all of it. */
function over(row: Row<'Run'>, { container, strays }: Observed): Decision {
  const { phase, reason, message } = row.status;
  const said = { phase, reason: reason as Decision['reason'], message };
  const ids = container ? [container.id, ...strays] : strays;
  if (ids.length > 0) return { steps: [{ do: 'remove', ids }], ...said, requeueAfter: 0 };
  if (row.deleted_at === null) return { steps: [], ...said };
  return { steps: [{ do: 'removeLogs' }, { do: 'purge' }], ...said };
}

/** What it takes before the first try: its turn, a network, and an image. */
function prepare(row: Row<'Run'>, { project, image, isOtherStopping }: Observed): Decision {
  const waiting = (reason: Decision['reason'], message: string, requeueAfter?: number): Decision => ({
    ...{ steps: [], phase: 'Pending', reason, message },
    ...(requeueAfter === undefined ? {} : { requeueAfter }),
  });
  if (row.spec.exclusive && isOtherStopping)
    return waiting('WaitingForOther', 'Waiting for the run before it to end.', pause.other);
  if ((project?.status.network ?? null) === null)
    return waiting('Queued', "Waiting for the project's network.", pause.network);
  if (row.status.image !== null) return beginning(row);
  if (!image) return { ...waiting('PullingImage', 'Getting its image.'), steps: [{ do: 'pull' }] };
  if (image.state === 'pulling') return waiting('PullingImage', 'Getting its image.');
  if (image.state === 'there')
    return {
      ...waiting('Queued', 'Its image is there.', 0),
      steps: [{ do: 'keepImage', image: image.image }],
    };
  const { message } = image;
  const steps: Step[] = [{ do: 'forgetImage' }];
  return image.transient
    ? { ...waiting('EngineUnavailable', `Waiting for the engine: ${message}`, pause.engine), steps }
    : { steps, phase: 'Failed', reason: 'PullFailed', message, ended: { code: null } };
}

function beginning({ spec, status }: Row<'Run'>, steps: Step[] = []): Decision {
  const of = spec.retries === 0 ? 'It' : `Try ${status.tries + 1} of ${spec.retries + 1}`;
  const words = { phase: 'Running', reason: 'Starting', message: `${of} is being started.` } as const;
  return { steps: [...steps, { do: 'begin' }], ...words, requeueAfter: 0 };
}

function running(row: Row<'Run'>, container: ContainerState, observed: Observed, now: number): Decision {
  const left = deadlineOf(row, container.startedAt, now) - now;
  const passed = row.status.reason === 'DeadlineExceeded' || left <= 0;
  if (!passed) {
    const requeueAfter = Math.min(left, clockLook);
    return mended(row, container, observed, { steps: [{ do: 'follow' }], ...going, requeueAfter });
  }
  const message = `It has run for longer than its deadline of ${row.spec.deadline}, and is being stopped.`;
  return { steps: stopSteps(observed), phase: 'Running', reason: 'DeadlineExceeded', message };
}

/** What was changed at it by hand is put right: before it is started, else at once, and its limits at last. */
function mended(
  row: Row<'Run'>,
  container: ContainerState,
  observed: Observed,
  decision: Decision,
): Decision {
  const { steps, found, lasting } = driftOf(row, container, observed);
  const first = steps.filter((step) => container.state !== 'running' || step.do !== 'limit');
  return {
    ...decision,
    steps: [...first, ...decision.steps, ...steps.filter((step) => !first.includes(step))],
    ...(found.length > 0 ? { drift: found } : {}),
    ...(lasting === undefined ? {} : { lasting }),
  };
}

/** From the start of the first try on. */
function deadlineOf({ spec, status }: Row<'Run'>, startedAt: string | null, now: number): number {
  const from = status.started_at ?? startedAt;
  return (from === null ? now : Date.parse(from)) + durationMs(spec.deadline);
}

/** Not wanted any more: what runs is stopped, what does not run never does. */
function end(row: Row<'Run'>, observed: Observed): Decision {
  const forget: Step[] = observed.image ? [{ do: 'forgetImage' }] : [];
  if (observed.container?.state !== 'running') {
    const message =
      row.status.tries > 0 ? 'Stopped on request.' : 'Stopped on request, before it was started.';
    return { steps: forget, phase: 'Stopped', reason: 'Stopped', message, ended: { code: null } };
  }
  // One that is over its deadline anyway ends for that.
  const reason = row.status.reason === 'DeadlineExceeded' ? 'DeadlineExceeded' : 'Stopping';
  return { steps: stopSteps(observed), phase: 'Running', reason, message: 'It is being stopped.' };
}

function stopSteps({ isStopping }: Observed): Step[] {
  return isStopping ? [{ do: 'follow' }] : [{ do: 'follow' }, { do: 'stop' }];
}

/** A try is over. What it printed last is still at the engine. */
function judge(row: Row<'Run'>, container: ContainerState | undefined, now: number): Decision {
  const steps: Step[] = container ? [{ do: 'drain' }] : [];
  const { spec, status } = row;
  const exit = container?.exit ?? null;
  const verdict = verdictOf(row, exit);
  const ended = { code: exit?.code ?? null };
  const isFinal =
    verdict.phase !== 'Failed' || verdict.reason === 'DeadlineExceeded' || status.tries > spec.retries;
  if (isFinal) return { steps, ...verdict, ended, requeueAfter: 0 };
  if (isUnwanted(row)) return { ...stoppedBetween, steps, ended, requeueAfter: 0 };
  const message = `Try ${status.tries} of ${spec.retries + 1} failed, another one follows. ${verdict.message}`;
  const retryAt = now + Math.min(backoff.first * 2 ** (status.tries - 1), backoff.longest);
  return { steps, phase: 'Running', reason: 'BackOff', message, ended, retryAt, requeueAfter: 0 };
}

const stoppedBetween = {
  phase: 'Stopped',
  reason: 'Stopped',
  message: 'Stopped on request, before its next try.',
} as const;

/** Between two tries: the container of the one before goes, its figures stay. */
function between(row: Row<'Run'>, { container, strays }: Observed, now: number): Decision {
  const { exit_code: code, started_at: startedAt, retry_at: retryAt, message } = row.status;
  const ids = container ? [container.id, ...strays] : strays;
  const steps: Step[] = ids.length > 0 ? [{ do: 'remove', ids }] : [];
  if (isUnwanted(row)) return { ...stoppedBetween, steps, ended: { code } };
  if (now >= deadlineOf(row, startedAt, now)) {
    const late = `Its deadline of ${row.spec.deadline} passed before its next try.`;
    return { steps, phase: 'Failed', reason: 'DeadlineExceeded', message: late, ended: { code } };
  }
  const left = Date.parse(retryAt ?? '') - now;
  // Further away than any pause is long: the clock was set back meanwhile.
  if (left > 0 && left <= backoff.longest)
    return { steps, phase: 'Running', reason: 'BackOff', message, requeueAfter: Math.min(left, clockLook) };
  return beginning(row, steps);
}
