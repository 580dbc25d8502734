/**
 * Cron schedules: five fields (minute, hour, day of month, month, day of week) as Vixie cron reads them, in a time zone.
 * Pure: the time is always an argument.
 *
 * Where clocks change (croner does as cron(8) of Debian): a time that a spring leaves out is kept at the first moment after
 * the gap, one that an autumn repeats is kept once, and a schedule with `*` in its hour goes by the time that passes.
 */
import { Cron } from 'croner';

/** A text that is no schedule. The message is a sentence that says what to write. */
export class ScheduleError extends Error {
  /** Which of the two is at fault. */
  readonly field: 'schedule' | 'timezone';
  constructor(field: ScheduleError['field'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ScheduleError';
    this.field = field;
  }
}

export interface Schedule {
  schedule: string;
  /** IANA name. */
  timezone: string;
}

/**
 * The first time of the schedule after a time. Milliseconds since the epoch.
 * @returns null when there never is one. Throws ScheduleError for what is no schedule
 */
export function nextTime(of: Schedule, after: number): number | null {
  return cronOf(of).nextRun(new Date(after))?.getTime() ?? null;
}

/** The last time of the schedule up to a time, that one included. Otherwise as {@link nextTime}. */
export function lastTime(of: Schedule, upTo: number): number | null {
  // croner looks before its argument, to the second.
  const [found] = cronOf(of).previousRuns(1, new Date(Math.floor(upTo / 1000) * 1000 + 1000));
  return found?.getTime() ?? null;
}

/** How many times of the schedule lie after one time and before another, counted up to `most`. */
export function timesBetween(of: Schedule, after: number, before: number, most: number): number {
  const cron = cronOf(of);
  let count = 0;
  let at = cron.nextRun(new Date(after));
  while (at !== null && at.getTime() < before && count < most) {
    count += 1;
    at = cron.nextRun(at);
  }
  return count;
}

/** Throws ScheduleError when there is no time of the schedule after `now`. */
export function checkSchedule(of: Schedule, now: number): void {
  if (nextTime(of, now) === null) throw new ScheduleError('schedule', 'never comes: there is no such day');
}

function cronOf({ schedule, timezone }: Schedule): Cron {
  if (!isTimezone(timezone))
    throw new ScheduleError('timezone', 'is no time zone: write an IANA name such as Europe/Berlin, or UTC');
  const form = 'write five fields (minute hour day month weekday) such as 0 3 * * *';
  const fields = schedule.trim().split(/\s+/);
  // croner also takes names such as @daily, and single dates.
  if (fields.length !== 5) throw new ScheduleError('schedule', `is no schedule: ${form}`);
  try {
    return new Cron(schedule, { timezone, mode: '5-part', paused: true });
  } catch (error) {
    throw new ScheduleError('schedule', `is no schedule${faultOf(fields)}: ${form}`, error);
  }
}

const fieldNames = ['minute', 'hour', 'day of the month', 'month', 'day of the week'];

/** Which field it is. croner counts months from 0 where it says so, and has no name for what is no number. */
function faultOf(fields: readonly string[]): string {
  const index = fields.findIndex(
    (field, at) => !isPattern(fieldNames.map((_, other) => (other === at ? field : '*'))),
  );
  return index === -1 ? '' : `, "${fields[index] ?? ''}" is no ${fieldNames[index] ?? ''}`;
}

function isPattern(fields: readonly string[]): boolean {
  try {
    new Cron(fields.join(' '), { mode: '5-part', paused: true });
    return true;
  } catch {
    return false;
  }
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    // An offset such as +02:00 is taken as well, but not everywhere.
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}
