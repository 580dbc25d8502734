import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Observed } from '../../../controllers/run/observe.ts';
import { tryName } from '../../../controllers/engine/names.ts';
import { plan, type Decision } from '../../../controllers/run/plan.ts';
import type { ContainerState } from '../../../controllers/engine/engine.ts';
import { aJob, aProject, aRun, type Said } from '../../support/store.ts';

const begun = Date.parse('2030-01-01T00:00:00.000Z');
const image = `sha256:${'a'.repeat(64)}`;
const seen = (said: Partial<Observed> = {}): Observed => ({
  ...{ job: aJob(), project: aProject(), service: undefined, container: undefined, strays: [] },
  ...{ image: undefined, isOtherStopping: false, isStopping: false },
  ...said,
});
const container = (said: Partial<ContainerState> = {}): ContainerState => ({
  ...{
    id: 'c1',
    name: tryName({ run: aRun(), job: aJob(), project: aProject() }, 1),
    labels: {},
    image,
    state: 'running',
    paused: false,
    networks: [{ name: 'svc-node-shop', id: 'network-1', address: '10.210.0.2' }],
    limits: { memoryBytes: 512 * 2 ** 20, cpus: 1, pids: 512 },
    selfRestarting: false,
    tunings: [],
    startedAt: '2030-01-01T00:00:00.000Z',
    exit: null,
  },
  ...said,
});
const exited = (code: number, outOfMemory = false): ContainerState =>
  container({ state: 'exited', exit: { code, outOfMemory, at: '2030-01-01T00:00:01.000Z', error: '' } });
const running = {
  phase: 'Running',
  reason: 'Running',
  image,
  tries: 1,
  container: 'c1',
  address: '10.210.0.2',
} as const;
const steps = ({ steps: all }: Decision): string[] => all.map((step) => step.do);
const verdict = (decision: Decision) => [decision.phase, decision.reason, steps(decision)];
const at = (said: Said<'Run'>, observed: Observed, now = begun) => plan(aRun(said), observed, now);

describe('a run that was asked for', () => {
  it('gets its image, then begins', () => {
    const status = { image };
    const cases: [Decision, unknown[]][] = [
      [at({}, seen()), ['Pending', 'PullingImage', ['pull']]],
      [at({}, seen({ image: { state: 'pulling' } })), ['Pending', 'PullingImage', []]],
      [at({}, seen({ image: { state: 'there', image } })), ['Pending', 'Queued', ['keepImage']]],
      [at({ status }, seen()), ['Running', 'Starting', ['begin']]],
    ];
    for (const [decision, expected] of cases) assert.deepEqual(verdict(decision), expected);
  });

  it('waits for the end of a run that it replaces, and for the network', () => {
    assert.equal(at({}, seen({ isOtherStopping: true })).reason, 'WaitingForOther');
    assert.equal(at({ spec: { exclusive: false } }, seen({ isOtherStopping: true })).reason, 'PullingImage');
    const project = aProject({ status: { network: null } });
    assert.deepEqual(verdict(at({}, seen({ project }))), ['Pending', 'Queued', []]);
  });

  it('fails without its image, unless it is the engine that is away', () => {
    const failed = at({}, seen({ image: { state: 'failed', message: 'denied', transient: false } }));
    assert.deepEqual(
      [...verdict(failed), failed.message],
      ['Failed', 'PullFailed', ['forgetImage'], 'denied'],
    );
    const away = at({}, seen({ image: { state: 'failed', message: 'gone', transient: true } }));
    assert.deepEqual(
      [away.phase, away.reason, (away.requeueAfter ?? 0) > 0],
      ['Pending', 'EngineUnavailable', true],
    );
  });

  it('is never started once somebody asked it to stop', () => {
    const decision = at({ spec: { stopped: true } }, seen({ image: { state: 'pulling' } }));
    assert.deepEqual(verdict(decision), ['Stopped', 'Stopped', ['forgetImage']]);
  });
});

describe('a try', () => {
  it('is gone on with where a crash has left it', () => {
    const begunOnly = { ...running, container: null, reason: 'Starting' };
    assert.deepEqual(steps(at({ status: begunOnly }, seen())), ['create', 'start', 'follow']);
    const made = seen({ container: container({ state: 'created', startedAt: null }) });
    assert.deepEqual(steps(at({ status: begunOnly }, made)), ['start', 'follow']);
    assert.deepEqual(steps(at({ status: begunOnly }, seen({ container: container() }))), ['follow']);
  });

  it('ends as its command does', () => {
    const end = (observed: Observed) => verdict(at({ status: running }, observed)).slice(0, 2);
    assert.deepEqual(end(seen({ container: exited(0) })), ['Succeeded', 'Succeeded']);
    assert.deepEqual(end(seen({ container: exited(3) })), ['Failed', 'Exited']);
    assert.deepEqual(end(seen({ container: exited(137, true) })), ['Failed', 'OutOfMemory']);
    assert.deepEqual(end(seen()), ['Failed', 'ContainerGone']);
  });

  it('has its verdict on record before its container goes', () => {
    const judged = at({ status: running }, seen({ container: exited(0) }));
    assert.deepEqual([steps(judged), judged.ended], [['drain'], { code: 0 }]);
    const over = { ...running, phase: 'Succeeded', reason: 'Succeeded' } as const;
    assert.deepEqual(steps(at({ status: over }, seen({ container: exited(0), strays: ['c0'] }))), ['remove']);
    assert.deepEqual(steps(at({ status: over }, seen())), []);
  });

  it('that fails is followed by another one after a pause that doubles, up to five minutes', () => {
    const pauses = [1, 2, 3, 40].map((tries) => {
      const decision = at(
        { spec: { retries: 50 }, status: { ...running, tries } },
        seen({ container: exited(1) }),
      );
      assert.deepEqual([decision.phase, decision.reason], ['Running', 'BackOff']);
      return (decision.retryAt ?? 0) - begun;
    });
    assert.deepEqual(pauses, [1_000, 2_000, 4_000, 300_000]);
    const last = at(
      { spec: { retries: 1 }, status: { ...running, tries: 2 } },
      seen({ container: exited(1) }),
    );
    assert.deepEqual([last.phase, last.retryAt], ['Failed', undefined]);
  });

  it('begins only once the container of the one before is gone, and its pause is over', () => {
    const status = { ...running, reason: 'BackOff', retry_at: '2030-01-01T00:00:02.000Z', exit_code: 1 };
    const early = at({ spec: { retries: 1 }, status }, seen({ container: exited(1) }));
    assert.deepEqual([steps(early), early.requeueAfter], [['remove'], 2_000]);
    assert.deepEqual(steps(at({ spec: { retries: 1 }, status }, seen(), begun + 2_000)), ['begin']);
    // The clock was set back by a year: what is so far away was never meant.
    assert.deepEqual(steps(at({ spec: { retries: 1 }, status }, seen(), begun - 365 * 86_400_000)), [
      'begin',
    ]);
  });
});

describe('a run ends early', () => {
  it('at its deadline, over all of its tries', () => {
    const started_at = '2030-01-01T00:00:00.000Z';
    const said = { spec: { deadline: '10s', retries: 3 }, status: { ...running, started_at } };
    const goesOn = at(said, seen({ container: container() }), begun + 9_000);
    assert.deepEqual([steps(goesOn), goesOn.requeueAfter], [['follow'], 1_000]);
    const late = at(
      said,
      seen({ container: container({ startedAt: '2030-01-01T00:00:08.000Z' }) }),
      begun + 10_000,
    );
    assert.deepEqual(verdict(late), ['Running', 'DeadlineExceeded', ['follow', 'stop']]);
    const stopped = { ...said, status: { ...said.status, reason: 'DeadlineExceeded' } };
    assert.deepEqual(verdict(at(stopped, seen({ container: exited(0) }))).slice(0, 2), [
      'Failed',
      'DeadlineExceeded',
    ]);
    const between = {
      ...said,
      status: { ...said.status, reason: 'BackOff', retry_at: '2030-01-01T00:00:11.000Z' },
    };
    assert.equal(at(between, seen(), begun + 10_000).reason, 'DeadlineExceeded');
  });

  it('on request: what runs is stopped once, and never tried again', () => {
    const said = { spec: { stopped: true, retries: 3 }, status: running };
    assert.deepEqual(steps(at(said, seen({ container: container() }))), ['follow', 'stop']);
    assert.deepEqual(steps(at(said, seen({ container: container(), isStopping: true }))), ['follow']);
    const stopping = { ...said, status: { ...running, reason: 'Stopping' } };
    const ended = at(stopping, seen({ container: exited(143) }));
    assert.deepEqual([ended.phase, ended.ended], ['Stopped', { code: 143 }]);
    const between = {
      ...said,
      status: { ...running, reason: 'BackOff', retry_at: '2030-01-01T00:00:02.000Z' },
    };
    assert.equal(at(between, seen()).phase, 'Stopped');
  });

  it('that had ended by itself before is judged by its code', () => {
    const said = { spec: { stopped: true, retries: 3 }, status: running };
    assert.equal(at(said, seen({ container: exited(0) })).phase, 'Succeeded');
    assert.equal(at(said, seen({ container: exited(1) })).phase, 'Stopped');
  });

  it('with its job: it is stopped, then nothing of it is left', () => {
    const deleted_at = '2030-01-01T00:00:00.000Z';
    assert.deepEqual(steps(at({ deleted_at, status: running }, seen({ container: container() }))), [
      'follow',
      'stop',
    ]);
    const over = { ...running, phase: 'Stopped' } as const;
    assert.deepEqual(steps(at({ deleted_at, status: over }, seen({ container: exited(143) }))), ['remove']);
    assert.deepEqual(steps(at({ deleted_at, status: over }, seen())), ['removeLogs', 'purge']);
  });
});

describe('what somebody changed at its container', () => {
  const change = (said: Partial<ContainerState>, status: Said<'Run'>['status'] = {}) =>
    at({ status: { ...running, ...status } }, seen({ container: container(said) }));

  it('is put right while it runs, its limits at last', () => {
    const networks = [{ name: 'bridge', id: 'b', address: '172.17.0.2' }];
    const limits = { memoryBytes: 1, cpus: 1, pids: 512 };
    const tunings = [{ words: 'cpu shares 2', lasting: false }];
    const decision = change({ paused: true, networks, limits, tunings });
    assert.deepEqual(steps(decision), ['unpause', 'disconnect', 'connect', 'follow', 'limit']);
    assert.deepEqual(decision.drift, [
      'it was paused',
      'it was connected to the network bridge',
      "it was disconnected from its project's network",
      'its limits were changed (cpu shares 2, memory 1 B instead of 512Mi)',
    ]);
    assert.deepEqual(verdict(change({})), ['Running', 'Running', ['follow']]);
  });

  it('is put right before it is started', () => {
    const decision = change({ state: 'created', startedAt: null, selfRestarting: true });
    assert.deepEqual(steps(decision), ['limit', 'start', 'follow']);
  });

  it('is said once where only another container would undo it', () => {
    const tunings = [{ words: 'a cpu quota', lasting: true }];
    const first = change({ tunings });
    assert.deepEqual([steps(first), first.drift?.length], [['follow', 'limit'], 1]);
    const conditions = [
      { type: 'Limits', status: 'False', reason: 'Drifted', message: first.lasting ?? '' } as const,
    ].map((each) => ({ ...each, last_transition_at: '2030-01-01T00:00:00.000Z' }));
    const next = change({ tunings }, { conditions });
    assert.deepEqual([steps(next), next.drift, next.lasting], [['follow'], undefined, first.lasting]);
  });

  it('is left alone once it is to end', () => {
    const stopping = at(
      { spec: { stopped: true }, status: running },
      seen({ container: container({ paused: true }) }),
    );
    assert.deepEqual(steps(stopping), ['follow', 'stop']);
  });
});
