import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildLimitMs } from '../../../controllers/deployment/artifact.ts';
import { plan } from '../../../controllers/deployment/plan.ts';
import { summarize } from '../../../controllers/deployment/status.ts';
import { aDeployment, anId } from '../../support/store.ts';
import { begun, image, seen, verdict } from './scene.ts';

const soon = begun + 1_000;

describe('a deployment without an image', () => {
  it('queues its build', () => {
    assert.deepEqual(verdict(plan(aDeployment(), seen(), soon)), ['Pending', 'Queued', ['startBuild']]);
  });

  it('is Building while its build runs, and leaves it alone', () => {
    assert.deepEqual(verdict(plan(aDeployment(), seen({ build: { state: 'running' } }), soon)), [
      'Building',
      'Building',
      [],
    ]);
  });

  it('takes the image of a finished build, and of one that finished before a crash', () => {
    const finished = plan(aDeployment(), seen({ build: { state: 'done', image } }), soon);
    assert.equal(finished.image, image);
    assert.deepEqual(verdict(finished), ['Starting', 'WaitingForHealth', ['forgetBuild']]);
    assert.equal(plan(aDeployment(), seen({ builtImage: image }), soon).image, image);
  });

  it('fails with the reason of its build', () => {
    const build = {
      state: 'failed',
      reason: 'BuildFailed',
      message: 'RUN false: exit code 1',
      transient: false,
    } as const;
    const decision = plan(aDeployment(), seen({ build }), soon);
    assert.deepEqual(verdict(decision), ['Failed', 'BuildFailed', ['forgetBuild']]);
    assert.equal(decision.message, 'RUN false: exit code 1');
  });

  it('waits for an engine that is away, and ends in a verdict all the same', () => {
    const row = aDeployment({ status: { phase: 'Building', building_at: '2030-01-01T00:00:00.000Z' } });
    const away = seen({ engineError: 'nothing answers' });
    assert.equal(plan(row, away, soon).phase, 'Building');
    assert.deepEqual(verdict(plan(row, away, begun + buildLimitMs + 1)), ['Failed', 'EngineUnavailable', []]);
    assert.deepEqual(verdict(plan(row, seen({ build: { state: 'queued' } }), begun + buildLimitMs + 1)), [
      'Failed',
      'BuildTimedOut',
      ['forgetBuild'],
    ]);
  });
});

describe('a deployment of an external image', () => {
  const external = (status = {}) =>
    aDeployment({ spec: { source: { image: 'ghcr.io/shop/web:1' } }, status });

  it('is pulled, and says so', () => {
    const queued = plan(external(), seen(), soon);
    assert.deepEqual(verdict(queued), ['Pending', 'Queued', ['startBuild']]);
    assert.equal(queued.message, 'Waiting for its turn to be pulled.');
    const running = seen({ build: { state: 'running' } });
    assert.deepEqual(verdict(plan(external(), running, soon)), ['Building', 'Pulling', []]);
    const observed = seen({ build: { state: 'done', image } });
    const done = plan(external(), observed, soon);
    assert.deepEqual(verdict(done), ['Starting', 'WaitingForHealth', ['forgetBuild']]);
    const built = summarize(external(), done, observed, soon).conditions?.find(
      ({ type }) => type === 'Built',
    );
    assert.deepEqual([built?.reason, built?.message], ['Pulled', 'Its image was pulled.']);
  });

  it('that takes too long has timed out as a pull, also where its job says so first', () => {
    const late = begun + buildLimitMs + 1;
    const row = external({ phase: 'Building', building_at: '2030-01-01T00:00:00.000Z' });
    const job = {
      state: 'failed',
      reason: 'BuildTimedOut',
      message: 'over its limit',
      transient: false,
    } as const;
    for (const observed of [seen({ build: { state: 'running' } }), seen({ build: job })]) {
      const decision = plan(row, observed, late);
      assert.deepEqual(verdict(decision), ['Failed', 'PullTimedOut', ['forgetBuild']]);
      assert.equal(decision.message, 'The pull took longer than 30 minutes.');
    }
  });
});

describe('a deployment of a changed configuration', () => {
  const base = aDeployment({ id: anId('deployment', 4), spec: { number: 4 }, status: { image } });
  const row = aDeployment({ spec: { number: 5, reuse: base.id } });

  it('takes over the image under a tag of its own, and builds nothing', () => {
    const decision = plan(row, seen({ base, baseImage: image }), soon);
    assert.deepEqual(verdict(decision), ['Pending', 'Reusing', ['tagImage']]);
    assert.match(decision.message, /configuration change of deployment 4/);
    const tagged = plan(row, seen({ base, builtImage: image }), soon);
    assert.equal(tagged.image, image);
    assert.deepEqual(verdict(tagged), ['Starting', 'WaitingForHealth', []]);
  });

  it('says for good what it is a change of', () => {
    const observed = seen({ base, builtImage: image });
    const { conditions } = summarize(row, plan(row, observed, soon), observed, soon);
    const built = conditions?.find(({ type }) => type === 'Built');
    assert.equal(built?.message, 'A configuration change of deployment 4: it runs the same image.');
  });

  it('says where the image is from that it took over', () => {
    const digest = `ghcr.io/shop/web@${image}`;
    const from = { ...base, status: { ...base.status, digest } };
    const observed = seen({ base: from, builtImage: image });
    assert.equal(summarize(row, plan(row, observed, soon), observed, soon).digest, digest);
  });

  it('fails when the image is gone, saying what to do', () => {
    for (const gone of [seen({ base }), seen()]) {
      const decision = plan(row, gone, soon);
      assert.deepEqual(verdict(decision), ['Failed', 'ImageGone', []]);
      assert.match(decision.message, /push again/);
    }
  });

  it('waits for an engine that is away, and ends in a verdict all the same', () => {
    const away = seen({ base, engineError: 'nothing answers' });
    assert.deepEqual(verdict(plan(row, away, soon)), ['Pending', 'EngineUnavailable', []]);
    const old = aDeployment({ ...row, status: { building_at: '2030-01-01T00:00:00.000Z' } });
    assert.deepEqual(verdict(plan(old, away, begun + buildLimitMs + 1)), ['Failed', 'EngineUnavailable', []]);
  });
});
