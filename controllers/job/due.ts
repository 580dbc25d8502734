/**
 * Which time of a schedule is to be seen to now. Pure.
 *
 * As with a CronJob of Kubernetes, of several times that passed while nobody looked (the node was down, the clock was set
 * forward) only the last one is made up for, and only within the job's starting deadline. A clock that was set back by up to
 * three hours brings no time twice; one that was set back further was wrong before, and its times count again, as cron(8) of
 * Debian has it. Either way a time for which there is a run gets no other one.
 */
import { lastTime, nextTime, timesBetween, ScheduleError } from '../../specs/cron.ts';
import { durationMs } from '../../specs/duration.ts';
import type { Row } from '../../specs/index.ts';

export type Due =
  /** It has no schedule, or that rests. */
  | { state: 'none' }
  | { state: 'invalid'; message: string }
  /** The clock was set back so far that it was wrong before: the schedule counts from now on. */
  | { state: 'corrected' }
  /** `next`: milliseconds since the epoch; null: never. */
  | { state: 'waiting'; next: number | null }
  /** `missed`: how many times before this one nobody saw to, up to {@link mostMissed}. */
  | { state: 'due'; at: number; isLate: boolean; missed: number; next: number | null };

/** Clocks that are set back by less than this were put right, and by more, corrected. Milliseconds. */
const correction = 3 * 3_600_000;
/** As far as missed times are counted. */
export const mostMissed = 100;

export function dueOf({ spec, status }: Pick<Row<'Job'>, 'spec' | 'status'>, now: number): Due {
  const { schedule, timezone, suspended } = spec;
  if (schedule === null || suspended) return { state: 'none' };
  const of = { schedule, timezone };
  const seen = [spec.scheduled_since, status.scheduled_at ?? '']
    .map((time) => Date.parse(time))
    .filter((time) => time - now < correction);
  if (seen.length === 0) return { state: 'corrected' };
  const from = Math.max(...seen);
  try {
    const last = lastTime(of, now);
    if (last === null || last <= from) return { state: 'waiting', next: nextTime(of, Math.max(from, now)) };
    const isLate = now - last > durationMs(spec.starting_deadline);
    return {
      ...{ state: 'due', at: last, isLate },
      missed: timesBetween(of, from, last, mostMissed),
      next: nextTime(of, now),
    };
  } catch (error) {
    // It was checked when it was written; time zones come and go with the node's version.
    if (error instanceof ScheduleError)
      return { state: 'invalid', message: `Its ${error.field} ${error.message}.` };
    throw error;
  }
}
