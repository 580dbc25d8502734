/** Decides what a job needs next: a run that is due, its old runs away, and in the end all of them. Pure. */
import type { Row } from '../../specs/index.ts';
import { isOver, mostUnderWay } from '../../specs/job.ts';
import { timestamp } from '../../specs/meta.ts';
import type { JobReason, Reason } from '../../specs/reasons.ts';
import { dueOf, mostMissed, type Due } from './due.ts';
import type { Observed } from './observe.ts';
import type { Step } from './steps.ts';

export interface Finding {
  type: 'Scheduled' | 'OnTime' | 'Deleted';
  status: 'True' | 'False';
  reason: Reason<typeof JobReason>;
  message: string;
}

export interface Decision {
  steps: Step[];
  findings: Finding[];
  /** RFC 3339; null: there is no next time. */
  nextAt: string | null;
  requeueAfter?: number;
}

/** Milliseconds after which the wall clock is looked at again: it may be set while timers run. */
const clockLook = 60_000;

export function plan(row: Row<'Job'>, observed: Observed, now: number): Decision {
  if (row.deleted_at !== null) return remove(observed);
  const due = dueOf(row, now);
  const findings = [scheduled(row, due)];
  if (due.state === 'corrected') {
    const forget: Step = { do: 'skip', at: timestamp(now) };
    return { steps: [forget], findings, nextAt: null, requeueAfter: 0 };
  }
  const steps: Step[] = surplus(row, observed);
  if (due.state === 'due') {
    const { step, finding } = keep(row, observed, due);
    steps.unshift(step);
    findings.push(finding);
  }
  const next = due.state === 'waiting' || due.state === 'due' ? due.next : null;
  const nextAt = next === null ? null : timestamp(next);
  return {
    steps,
    findings,
    nextAt,
    ...(next === null ? {} : { requeueAfter: Math.min(next - now, clockLook) }),
  };
}

/** What happens at a time of the schedule: a run, or nothing, and why. */
function keep(
  row: Row<'Job'>,
  { runs, deployment }: Observed,
  { at, isLate, missed }: Extract<Due, { state: 'due' }>,
): { step: Step; finding: Finding } {
  const time = timestamp(at);
  const active = runs.filter(({ status }) => !isOver(status.phase));
  const skip = (reason: Finding['reason'], message: string) => ({
    step: { do: 'skip', at: time } as const,
    finding: { type: 'OnTime', status: 'False', reason, message } as const,
  });
  if (isLate)
    return skip('Missed', `${count(missed + 1)} missed, for longer than ${row.spec.starting_deadline}.`);
  if (active.length > 0 && row.spec.concurrency === 'forbid')
    return skip('RunUnderWay', 'The last time of its schedule was skipped: a run was still under way.');
  if (active.length >= mostUnderWay)
    return skip(
      'RunUnderWay',
      `The last time of its schedule was skipped: ${mostUnderWay} runs were under way, and there are never more.`,
    );
  if (row.spec.service_id !== null && (deployment?.status.image ?? null) === null)
    return skip(
      'NotDeployed',
      'The last time of its schedule was skipped: nothing is deployed to its service.',
    );
  const replaced = row.spec.concurrency === 'replace' ? active.map(({ id }) => id) : [];
  const finding =
    missed > 0
      ? ({
          status: 'False',
          reason: 'Missed',
          message: `${count(missed)} missed before the last one.`,
        } as const)
      : ({ status: 'True', reason: 'OnTime', message: 'The last time of its schedule was kept.' } as const);
  return { step: { do: 'run', at: time, replaced }, finding: { type: 'OnTime', ...finding } };
}

function count(times: number): string {
  if (times === 1) return 'One time of its schedule was';
  return `${times > mostMissed ? `More than ${mostMissed}` : times} times of its schedule were`;
}

function scheduled({ spec }: Row<'Job'>, due: Due): Finding {
  const no = (reason: Finding['reason'], message: string): Finding => {
    return { type: 'Scheduled', status: 'False', reason, message };
  };
  if (due.state === 'invalid') return no('ScheduleInvalid', due.message);
  if (spec.release)
    return no('Release', 'It runs with every deployment of its service, before the health gate.');
  if (spec.schedule === null) return no('OnDemand', 'It has no schedule: svc jobs run starts it.');
  if (spec.suspended) return no('Suspended', 'Its schedule rests.');
  return { type: 'Scheduled', status: 'True', reason: 'Scheduled', message: 'It runs by its schedule.' };
}

/** Runs beyond its history limits; the newest of each kind stay. */
function surplus({ spec }: Row<'Job'>, { runs }: Observed): Step[] {
  const done = runs.filter(({ status, deleted_at: deleted }) => isOver(status.phase) && deleted === null);
  const succeeded = done.filter(({ status }) => status.phase === 'Succeeded');
  const others = done.filter(({ status }) => status.phase !== 'Succeeded');
  const ids = [...succeeded.slice(spec.keep.succeeded), ...others.slice(spec.keep.failed)].map(
    ({ id }) => id,
  );
  return ids.length > 0 ? [{ do: 'deleteRuns', ids }] : [];
}

function remove({ runs }: Observed): Decision {
  const living = runs.filter(({ deleted_at: deleted }) => deleted === null).map(({ id }) => id);
  const message = `Waiting for its runs to be removed: ${runs.length} left.`;
  const waiting = { type: 'Deleted', status: 'False', reason: 'Deleting', message } as const;
  if (living.length > 0)
    return { steps: [{ do: 'deleteRuns', ids: living }], findings: [waiting], nextAt: null };
  if (runs.length > 0) return { steps: [], findings: [waiting], nextAt: null };
  return { steps: [{ do: 'removeImage' }, { do: 'purge' }], findings: [], nextAt: null };
}
