/** Parts of jobs that wait for their turn in another group. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { Jobs } from '../../../controllers/runtime/jobs.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** Jobs of the group `build`, which end when they are told to. */
function setUp(t: TestContext) {
  const clock = new ManualClock();
  const jobs = new Jobs<string>({ clock, deadline: 10_000, grace: 1_000, onSettled: () => undefined });
  t.after(() => jobs.close());
  const started: string[] = [];
  const runs = new Map<string, (result: string) => void>();
  const ensure = (key: string) =>
    jobs.ensure(
      key,
      (signal) => {
        started.push(key);
        return new Promise((resolve, reject) => {
          runs.set(key, resolve);
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      },
      { group: 'build' },
    );
  return {
    jobs,
    started,
    ensure,
    finish: (key: string) => runs.get(key)?.('done'),
    settle: () => clock.advance(0),
  };
}

it('runs a part of a job in its order in another group, and keeps the place until it has ended', async (t) => {
  const { jobs, started, ensure, finish, settle } = setUp(t);
  ensure('dep_1');
  const part = Promise.withResolvers<string>();
  const stop = new AbortController();
  const turn = jobs.turn('build', () => (started.push('part'), part.promise), stop.signal);
  ensure('dep_2');
  await settle();
  assert.deepEqual(started, ['dep_1']);
  finish('dep_1');
  await settle();
  assert.deepEqual(started, ['dep_1', 'part']);
  stop.abort(new Error('called off'));
  await settle();
  assert.deepEqual(started, ['dep_1', 'part']);
  part.resolve('built');
  assert.equal(await turn, 'built');
  await settle();
  assert.deepEqual(started, ['dep_1', 'part', 'dep_2']);
});

it('rejects at once when it is called off while it waits, and is never run', async (t) => {
  const { jobs, started, ensure, finish, settle } = setUp(t);
  ensure('dep_1');
  await settle();
  const stop = new AbortController();
  const turn = jobs.turn('build', () => Promise.resolve(started.push('part')), stop.signal);
  stop.abort(new Error('called off'));
  await assert.rejects(turn, /called off/);
  finish('dep_1');
  await settle();
  assert.deepEqual(started, ['dep_1']);
});
