import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkSchedule, lastTime, nextTime, ScheduleError, timesBetween } from '../../specs/cron.ts';

const ms = (time: string): number => Date.parse(time);
const berlin = 'Europe/Berlin';
/** The next few times after one. */
function times(schedule: string, timezone: string, after: string, count: number): string[] {
  const found: string[] = [];
  let at = ms(after);
  while (found.length < count) {
    at = nextTime({ schedule, timezone }, at) ?? assert.fail();
    found.push(new Date(at).toISOString().replace(':00.000Z', 'Z'));
  }
  return found;
}

describe('the times of a schedule', () => {
  it('keep a time that a spring leaves out at the first moment after the gap', () => {
    assert.deepEqual(times('30 2 * * *', berlin, '2030-03-30T00:00:00Z', 3), [
      '2030-03-30T01:30Z',
      '2030-03-31T01:00Z',
      '2030-04-01T00:30Z',
    ]);
  });

  it('keep a time that an autumn repeats once', () => {
    assert.deepEqual(times('30 2 * * *', berlin, '2030-10-26T00:00:00Z', 3), [
      '2030-10-26T00:30Z',
      '2030-10-27T00:30Z',
      '2030-10-28T01:30Z',
    ]);
  });

  it('go by the time that passes where every hour is meant', () => {
    const hours = ['2030-10-27T00:00Z', '2030-10-27T01:00Z', '2030-10-27T02:00Z'];
    assert.deepEqual(times('0 * * * *', berlin, '2030-10-26T23:30:00Z', 3), hours);
  });

  it('are found backwards as well, up to a moment and with it', () => {
    const of = { schedule: '*/15 * * * *', timezone: 'UTC' };
    assert.equal(lastTime(of, ms('2030-01-01T00:15:00Z')), ms('2030-01-01T00:15:00Z'));
    assert.equal(lastTime(of, ms('2030-01-01T00:14:59.999Z')), ms('2030-01-01T00:00:00Z'));
    const night = { schedule: '30 2 * * *', timezone: berlin };
    assert.equal(lastTime(night, ms('2030-03-31T12:00:00Z')), ms('2030-03-31T01:00:00Z'));
  });

  it('are counted between two moments, up to a bound', () => {
    const of = { schedule: '* * * * *', timezone: 'UTC' };
    const [from, to] = [ms('2030-01-01T00:00:00Z'), ms('2030-01-01T00:05:00Z')];
    assert.equal(timesBetween(of, from, to, 100), 4);
    assert.equal(timesBetween(of, from - 365 * 86_400_000, to, 100), 100);
  });
});

describe('a schedule is refused', () => {
  const now = ms('2030-01-01T00:00:00Z');
  const nonsense = [
    ...['', 'x', '* * * *', '* * * * * *', '60 * * * *', '5-1 * * * *', '*/0 * * * *', '0,, * * * *'],
    ...['@daily', '@reboot', '2030-01-01T00:00:00Z', 'H * * * *', '* * * * * 2030'],
  ];
  for (const schedule of nonsense) {
    it(`that is none: ${JSON.stringify(schedule)}`, () => {
      assert.throws(
        () => checkSchedule({ schedule, timezone: 'UTC' }, now),
        (error) =>
          error instanceof ScheduleError && error.field === 'schedule' && /five fields/.test(error.message),
      );
    });
  }

  for (const [schedule, fault] of [
    ['61 * * * *', '"61" is no minute'],
    ['0 25 * * *', '"25" is no hour'],
    ['0 0 0 * *', '"0" is no day of the month'],
    ['0 0 * 13 *', '"13" is no month'],
    ['0 0 * * 1-x', '"1-x" is no day of the week'],
  ] as const) {
    it(`with the field that is none: ${schedule}`, () => {
      const check = () => checkSchedule({ schedule, timezone: 'UTC' }, now);
      assert.throws(check, (error) => error instanceof ScheduleError && error.message.includes(fault));
    });
  }

  for (const schedule of ['0 0 30 2 *', '0 0 31 4,6 *']) {
    it(`that never comes: ${schedule}`, () => {
      assert.throws(() => checkSchedule({ schedule, timezone: 'UTC' }, now), /never comes/);
    });
  }

  it('in a time zone that there is not', () => {
    for (const timezone of ['', 'Mars/Olympus', 'local', '+02:00']) {
      assert.throws(
        () => checkSchedule({ schedule: '0 0 * * *', timezone }, now),
        (error) => error instanceof ScheduleError && error.field === 'timezone',
        timezone,
      );
    }
    checkSchedule({ schedule: '0 0 29 2 *', timezone: 'America/New_York' }, now);
  });
});
