import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Sighting } from '../../../controllers/domain/look.ts';
import { newsOf, verdict, type Circumstances } from '../../../controllers/domain/status.ts';
import { aDomain } from '../../support/store.ts';

const now = Date.UTC(2030, 0, 2);
const at = '2030-01-02T00:00:00.000Z';
const here: Sighting = { seen: [{ address: '203.0.113.7', isHere: true, words: 'answered the challenge' }] };
const elsewhere: Sighting = {
  seen: [
    { address: '198.51.100.9', isHere: false, words: 'answered with status 404' },
    { address: '2001:db8::9', isHere: false, words: 'refused a connection to port 80' },
  ],
};
const asked = aDomain({ spec: { attempt: 3 } });
const wasVerified = aDomain({
  spec: { attempt: 1 },
  status: { phase: 'Verified', attempt: 1, verified_at: '2030-01-01T00:00:00.000Z' },
});
const judge = (row: typeof asked, sighting: Sighting, said: Partial<Circumstances> = {}) =>
  verdict(row, sighting, { isHeld: false, own: [], now, ...said });

describe('the verdict on a domain', () => {
  it('is Verified when one of its addresses answered', () => {
    const { conditions, ...status } = judge(asked, { seen: [...here.seen, ...elsewhere.seen] });
    assert.deepEqual(status, {
      phase: 'Verified',
      last_error: null,
      verified_at: at,
      checked_at: at,
      attempt: 3,
    });
    assert.deepEqual(conditions, [
      {
        ...{ type: 'PointsHere', status: 'True', reason: 'ChallengeAnswered', last_transition_at: at },
        message: 'shop.example.com leads to this node.',
      },
    ]);
  });

  it('is Failed otherwise, and says what is and what should be', () => {
    const { phase, last_error, verified_at, conditions } = judge(asked, elsewhere, { own: ['203.0.113.7'] });
    assert.deepEqual([phase, verified_at, conditions[0]?.reason], ['Failed', null, 'PointsElsewhere']);
    assert.equal(
      last_error,
      'DNS leads shop.example.com to 198.51.100.9, which answered with status 404; and to 2001:db8::9, which refused a ' +
        'connection to port 80. Point it to this node (203.0.113.7), then verify it again.',
    );
  });

  it('tells a name without addresses from DNS that does not answer', () => {
    const none = judge(asked, { seen: [] });
    assert.match(
      none.last_error ?? '',
      /^DNS has no address for shop\.example\.com\. Give it an A or AAAA record/,
    );
    const broken = judge(asked, { failed: 'ESERVFAIL' });
    assert.match(broken.last_error ?? '', /^DNS gave no answer for shop\.example\.com \(ESERVFAIL\)/);
    assert.deepEqual([none.phase, broken.phase], ['Failed', 'Failed']);
  });

  it('is Failed where another service has it, and does not say which', () => {
    const { phase, last_error, conditions } = judge(asked, here, { isHeld: true });
    assert.deepEqual([phase, conditions[0]?.status], ['Failed', 'True']);
    assert.match(last_error ?? '', /^Another service of this node has verified shop\.example\.com before/);
  });

  it('leaves a Verified one where it is: it gets a condition, and loses it again', () => {
    const astray = judge(wasVerified, elsewhere);
    assert.deepEqual([astray.phase, astray.verified_at], ['Verified', wasVerified.status.verified_at]);
    assert.deepEqual(
      [astray.conditions[0]?.status, astray.last_error],
      ['False', astray.conditions[0]?.message],
    );
    const back = judge({ ...wasVerified, status: astray }, here);
    assert.deepEqual([back.phase, back.last_error, back.conditions[0]?.status], ['Verified', null, 'True']);
  });
});

describe('what is told of a look', () => {
  const told = (row: typeof asked, ...args: [Sighting, Partial<Circumstances>?]) => {
    const news = newsOf(row, judge(row, ...args));
    return news && [news.type, news.reason];
  };

  it('is every verdict on an attempt', () => {
    assert.deepEqual(told(asked, here), ['Normal', 'ChallengeAnswered']);
    assert.deepEqual(told(asked, elsewhere), ['Warning', 'PointsElsewhere']);
    assert.deepEqual(told(asked, { seen: [] }), ['Warning', 'NoAddress']);
    assert.deepEqual(told(asked, here, { isHeld: true }), ['Warning', 'HeldByAnother']);
  });

  it('is of a Verified one only that it begins to point elsewhere, or here again', () => {
    const pointing = { ...wasVerified, status: judge(wasVerified, here) };
    const astray = { ...wasVerified, status: judge(wasVerified, elsewhere) };
    assert.equal(told(pointing, here), undefined);
    assert.deepEqual(told(pointing, elsewhere), ['Warning', 'PointsElsewhere']);
    assert.equal(told(astray, { seen: [] }), undefined);
    assert.deepEqual(told(astray, here), ['Normal', 'ChallengeAnswered']);
  });
});
