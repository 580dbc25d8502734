import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createProber, type ProbeAnswer, type ProbeTarget } from '../../../controllers/replica/prober.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const target = (said: Partial<ProbeTarget> = {}): ProbeTarget => ({
  upstream: { socket: '/run/x', via: 'bridged' },
  health: { path: '/', interval: '1s', timeout: '5s', deadline: '2m', successes: 2 },
  startedAt: 'first',
  mask: (text) => text,
  ...said,
});

function setUp(answers: boolean[]) {
  const clock = new ManualClock();
  const asked: number[] = [];
  const woken: string[] = [];
  const ask = (): Promise<ProbeAnswer> => {
    asked.push(clock.now());
    const ok = answers.shift() ?? false;
    return Promise.resolve({ ok, words: ok ? '200' : '503' });
  };
  const prober = createProber({ ask, clock, onAnswer: (id) => void woken.push(id) });
  return { clock, asked, woken, prober };
}

it('passes after so many good answers in a row, and then asks no more', async () => {
  const { clock, asked, prober } = setUp([false, true, false, true, true, false]);
  prober.ensure('r', target());
  await clock.advance(10_000);
  assert.deepEqual(prober.result('r', 'first'), { passed: true, words: '200' });
  assert.equal(asked.length, 5);
  assert.equal(clock.pending, 0);
});

it('asks eagerly at first and then at the interval', async () => {
  const { clock, asked, prober } = setUp([]);
  prober.ensure('r', target());
  await clock.advance(60_000);
  const pauses = asked.slice(1).map((at, n) => at - (asked[n] ?? 0));
  assert.ok((pauses[0] ?? 0) < 50, `first pause ${pauses[0]} ms`);
  assert.equal(pauses.at(-1), 1_000);
});

it('wakes only when the answer changed', async () => {
  const { clock, woken, prober } = setUp([]);
  prober.ensure('r', target());
  await clock.advance(60_000);
  assert.deepEqual(woken, ['r']);
});

it('asks anew after another start, and says nothing about the one before', async () => {
  const { clock, prober } = setUp([true, true]);
  prober.ensure('r', target());
  await clock.advance(1_000);
  prober.ensure('r', target({ startedAt: 'second' }));
  assert.equal(prober.result('r', 'first'), undefined);
  await clock.advance(1_000);
  assert.deepEqual(prober.result('r', 'second'), { passed: false, words: '503' });
});

it('is silent once dropped', async () => {
  const { clock, asked, prober } = setUp([]);
  prober.ensure('r', target());
  await clock.advance(10);
  prober.drop('r');
  const before = asked.length;
  await clock.advance(60_000);
  assert.equal(asked.length, before);
});
