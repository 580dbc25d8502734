import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AcmeError } from '../../../controllers/acme/acme.ts';
import { consequenceOf } from '../../../controllers/order/status.ts';

it('an authority that does not answer is asked again, when it says so', () => {
  assert.deepEqual(consequenceOf(new AcmeError('unavailable', 'Away.'), 0), {
    how: 'wait',
    error: 'Away.',
    ms: 15_000,
  });
  const busy = new AcmeError('unavailable', 'Busy.', { retryAfter: 60_000 });
  assert.deepEqual(consequenceOf(busy, 0), { how: 'wait', error: 'Busy.', ms: 60_000 });
});

it('one that refuses ends the order', () => {
  const step = { do: 'fail', error: 'No.', heldUntil: null };
  assert.deepEqual(consequenceOf(new AcmeError('refused', 'No.'), 0), { how: 'fail', step });
});

it('one that has had enough ends the order, and says until when', () => {
  const step = { do: 'fail', error: 'Enough.', heldUntil: '1970-01-01T01:00:00.000Z' };
  const limited = new AcmeError('limited', 'Enough.', { retryAfter: 3_600_000 });
  assert.deepEqual(consequenceOf(limited, 0), { how: 'fail', step });
});
