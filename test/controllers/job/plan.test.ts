import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Observed } from '../../../controllers/job/observe.ts';
import { plan, type Decision } from '../../../controllers/job/plan.ts';
import type { Row } from '../../../specs/index.ts';
import { mostUnderWay, type JobSpec } from '../../../specs/job.ts';
import { aDeployment, aJob, anId, aRun } from '../../support/store.ts';

const seen = (said: Partial<Observed> = {}): Observed => ({ runs: [], deployment: undefined, ...said });
const minute = 60_000;

/** A job whose schedule was last seen to at `scheduled_at`, as it is planned at `now`. */
function at(now: string, spec: Partial<JobSpec>, last: string | null = null, observed = seen()): Decision {
  const job = aJob({
    spec: { scheduled_since: '2030-01-01T00:00:00.000Z', ...spec },
    status: { scheduled_at: last },
  });
  return plan(job, observed, Date.parse(now));
}

const onTime = ({ findings }: Decision): string[] =>
  findings.flatMap(({ type, status, reason }) => (type === 'OnTime' ? [status, reason] : []));
const run = (time: string, replaced: string[] = []) => ({ do: 'run', at: time, replaced });

describe('a schedule', () => {
  const hourly = { schedule: '0 * * * *' };

  it('waits for its next time, and looks at the clock now and then', () => {
    const { steps, nextAt, requeueAfter } = at('2030-01-01T00:10:00Z', hourly);
    assert.deepEqual([steps, nextAt, requeueAfter], [[], '2030-01-01T01:00:00.000Z', minute]);
    assert.equal(at('2030-01-01T00:59:50Z', hourly).requeueAfter, 10_000);
  });

  it('runs at its time, and then waits for the next', () => {
    const decision = at('2030-01-01T01:00:00.004Z', hourly);
    assert.deepEqual(decision.steps, [run('2030-01-01T01:00:00.000Z')]);
    assert.deepEqual(onTime(decision), ['True', 'OnTime']);
    assert.equal(decision.nextAt, '2030-01-01T02:00:00.000Z');
    assert.deepEqual(at('2030-01-01T01:00:00.004Z', hourly, '2030-01-01T01:00:00.000Z').steps, []);
  });

  it('makes up for the last of the times that were missed, if it is not too late for that', () => {
    const late = at('2030-01-01T05:03:00Z', hourly, '2030-01-01T01:00:00.000Z');
    assert.deepEqual(late.steps, [run('2030-01-01T05:00:00.000Z')]);
    assert.deepEqual(onTime(late), ['False', 'Missed']);
    assert.match(
      late.findings.at(-1)?.message ?? '',
      /^3 times of its schedule were missed before the last one/,
    );
  });

  it('lets all of them go where it is, and says so', () => {
    const tooLate = at('2030-01-01T05:30:00Z', hourly, '2030-01-01T01:00:00.000Z');
    assert.deepEqual(tooLate.steps, [{ do: 'skip', at: '2030-01-01T05:00:00.000Z' }]);
    assert.match(
      tooLate.findings.at(-1)?.message ?? '',
      /^4 times of its schedule were missed, for longer than 10m/,
    );
    const years = at('2033-01-01T00:30:00Z', { schedule: '0 * * * *' });
    assert.match(years.findings.at(-1)?.message ?? '', /^More than 100 times/);
  });

  it('counts from when it was made or changed: nothing before was missed', () => {
    const spec = { ...hourly, scheduled_since: '2030-01-02T08:30:00.000Z' };
    assert.deepEqual(at('2030-01-02T08:31:00Z', spec, '2030-01-01T01:00:00.000Z').steps, []);
  });

  it('goes by the clock of its time zone', () => {
    const spec = { schedule: '30 2 * * *', timezone: 'Europe/Berlin' };
    const spring = at('2030-03-31T01:00:01Z', spec, '2030-03-30T01:30:00.000Z');
    assert.deepEqual(spring.steps, [run('2030-03-31T01:00:00.000Z')]);
    const again = at('2030-10-27T01:30:01Z', spec, '2030-10-27T00:30:00.000Z');
    assert.deepEqual([again.steps, again.nextAt], [[], '2030-10-28T01:30:00.000Z']);
  });

  it('brings no time twice when the clock is set back, and waits', () => {
    const { steps, nextAt } = at('2030-01-01T03:10:00Z', hourly, '2030-01-01T05:00:00.000Z');
    assert.deepEqual([steps, nextAt], [[], '2030-01-01T06:00:00.000Z']);
  });

  it('starts anew when the clock was far ahead and is put right', () => {
    const ahead = '2031-01-01T01:00:00.000Z';
    assert.deepEqual(at('2030-01-01T02:00:00Z', hourly, ahead).steps, [run('2030-01-01T02:00:00.000Z')]);
    const made = { ...hourly, scheduled_since: ahead };
    const wrong = at('2030-01-01T01:30:00Z', made, ahead);
    assert.deepEqual(
      [wrong.steps, wrong.requeueAfter],
      [[{ do: 'skip', at: '2030-01-01T01:30:00.000Z' }], 0],
    );
    const right = at('2030-01-01T02:00:00Z', made, '2030-01-01T01:30:00.000Z');
    assert.deepEqual(right.steps, [run('2030-01-01T02:00:00.000Z')]);
  });

  it('rests while it is suspended, and says why it does nothing', () => {
    const reasons = [
      { ...hourly, suspended: true },
      { schedule: null },
      { schedule: null, release: true },
      hourly,
    ].map((spec) => at('2030-01-01T01:00:00Z', spec, '2030-01-01T01:00:00.000Z').findings[0]?.reason);
    assert.deepEqual(reasons, ['Suspended', 'OnDemand', 'Release', 'Scheduled']);
    assert.equal(at('2030-01-01T01:00:00Z', { ...hourly, suspended: true }).nextAt, null);
  });

  it('that the node can no longer read is said, and harms nothing', () => {
    const decision = at('2030-01-01T01:00:00Z', { ...hourly, timezone: 'Europe/Atlantis' });
    assert.deepEqual([decision.steps, decision.findings[0]?.reason], [[], 'ScheduleInvalid']);
  });
});

describe('a time that comes while a run is under way', () => {
  const runs = [
    aRun({ status: { phase: 'Running' } }),
    aRun({ id: anId('run', 2), status: { phase: 'Failed' } }),
  ];
  const due = (concurrency: JobSpec['concurrency']) =>
    at('2030-01-01T01:00:00Z', { schedule: '0 * * * *', concurrency }, null, seen({ runs }));

  it('is skipped, takes its place, or runs beside it', () => {
    const forbid = due('forbid');
    assert.deepEqual(forbid.steps, [{ do: 'skip', at: '2030-01-01T01:00:00.000Z' }]);
    assert.deepEqual(onTime(forbid), ['False', 'RunUnderWay']);
    assert.deepEqual(due('replace').steps, [run('2030-01-01T01:00:00.000Z', [anId('run')])]);
    assert.deepEqual(due('allow').steps, [run('2030-01-01T01:00:00.000Z')]);
  });

  it('is skipped while as many are under way as the node bears', () => {
    const hourly = { schedule: '0 * * * *', concurrency: 'allow' } as const;
    const running = Array.from({ length: mostUnderWay }, (_, n) =>
      aRun({ id: anId('run', n), status: { phase: 'Running' } }),
    );
    const full = at('2030-01-01T01:00:00Z', hourly, null, seen({ runs: running }));
    assert.deepEqual(full.steps, [{ do: 'skip', at: '2030-01-01T01:00:00.000Z' }]);
    assert.deepEqual(onTime(full), ['False', 'RunUnderWay']);
    const [, ...fewer] = running;
    const room = at('2030-01-01T01:00:00Z', hourly, null, seen({ runs: fewer }));
    assert.deepEqual(room.steps, [run('2030-01-01T01:00:00.000Z')]);
  });

  it('is skipped where its service has nothing to run it in', () => {
    const spec = { schedule: '0 * * * *', image: null, service_id: anId('service') };
    assert.deepEqual(onTime(at('2030-01-01T01:00:00Z', spec)), ['False', 'NotDeployed']);
    const deployment = aDeployment({ status: { image: 'sha256:a' } });
    assert.deepEqual(onTime(at('2030-01-01T01:00:00Z', spec, null, seen({ deployment }))), [
      'True',
      'OnTime',
    ]);
  });
});

describe('the runs of a job', () => {
  const ended = (n: number, phase: 'Succeeded' | 'Failed' | 'Stopped'): Row<'Run'> =>
    aRun({ id: anId('run', n), status: { phase } });

  it('are kept up to its limits, those that succeeded apart from the others', () => {
    const runs = [
      ended(6, 'Failed'),
      ended(5, 'Succeeded'),
      ended(4, 'Succeeded'),
      ended(3, 'Stopped'),
      ended(2, 'Failed'),
    ];
    const job = aJob({ spec: { keep: { succeeded: 1, failed: 2 } } });
    const ids = [anId('run', 4), anId('run', 2)];
    assert.deepEqual(plan(job, seen({ runs }), 0).steps, [{ do: 'deleteRuns', ids }]);
  });

  it('go before it does, and the image that it keeps goes with it', () => {
    const going = aJob({ deleted_at: '2030-01-01T00:00:00.000Z' });
    const left = aRun({ deleted_at: '2030-01-01T00:00:00.000Z' });
    const wanted = plan(going, seen({ runs: [aRun()] }), 0);
    assert.deepEqual(wanted.steps, [{ do: 'deleteRuns', ids: [anId('run')] }]);
    assert.equal(wanted.findings[0]?.type, 'Deleted');
    assert.deepEqual(plan(going, seen({ runs: [left] }), 0).steps, []);
    assert.deepEqual(plan(going, seen(), 0).steps, [{ do: 'removeImage' }, { do: 'purge' }]);
  });
});
