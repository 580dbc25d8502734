import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Observed } from '../../../controllers/certificate/observe.ts';
import { plan, type Directories } from '../../../controllers/certificate/plan.ts';
import type { CertificateStatus } from '../../../specs/certificate.ts';
import { aCertificate, anOrder } from '../../support/store.ts';

const now = Date.UTC(2030, 0, 1);
const hour = 3_600_000;
const at = (ms: number): string => new Date(ms).toISOString();
const ca = 'https://ca.test/dir';
const issued = { chain: 'PEM', key_version: 1, not_after: at(now + 90 * hour) };

function planned(
  status: Partial<CertificateStatus> = {},
  seen: Partial<Observed> = {},
  directories: Directories = [ca],
) {
  return plan(aCertificate({ status }), { verified: true, orders: [], ...seen }, directories, now);
}

describe('a certificate', () => {
  it('is ordered once its hostname is verified', () => {
    assert.deepEqual(planned().steps, [{ do: 'order', directory: ca }]);
    const unverified = planned({}, { verified: false });
    assert.deepEqual([unverified.steps, unverified.waiting?.reason], [[], 'DomainNotVerified']);
  });

  it('is not ordered on a node that asks for none, and says so', () => {
    const { steps, waiting } = planned({}, {}, null);
    assert.deepEqual([steps, waiting?.reason], [[], 'AcmeDisabled']);
    assert.match(waiting?.message ?? '', /SERVICE_ACME_EMAIL/);
  });

  it('waits for the order that is under way, and says what is wrong with it', () => {
    const trouble = anOrder({ status: { last_error: 'It does not answer.' } });
    for (const order of [anOrder(), anOrder({ status: { phase: 'Ready' } }), trouble])
      assert.deepEqual(planned({}, { orders: [order] }).steps, []);
    assert.match(planned({}, { orders: [trouble] }).waiting?.message ?? '', /It does not answer\.$/);
  });

  it('takes an order in that has ended', () => {
    const [good, bad] = [anOrder({ status: { phase: 'Issued' } }), anOrder({ status: { phase: 'Failed' } })];
    assert.deepEqual(planned({}, { orders: [good] }).steps, [{ do: 'take', order: good }]);
    assert.deepEqual(planned({}, { orders: [bad] }).steps, [{ do: 'giveUp', order: bad }]);
  });

  it('is asked for again while the last order is only being removed', () => {
    const gone = anOrder({ deleted_at: at(now), status: { phase: 'Failed' } });
    assert.deepEqual(planned({}, { orders: [gone] }).steps, [{ do: 'order', directory: ca }]);
  });

  it('pauses after a failure', () => {
    const failed = { failures: 1, last_error: 'No.', retry_at: at(now + hour) };
    const { steps, waiting, requeueAfter } = planned(failed);
    assert.deepEqual([steps, waiting, requeueAfter], [[], { reason: 'OrderFailed', message: 'No.' }, hour]);
    assert.deepEqual(planned({ ...failed, retry_at: at(now) }).steps, [{ do: 'order', directory: ca }]);
  });

  it('waits as long as its only authority asks for, and not for one of two', () => {
    const limited = {
      failures: 1,
      last_error: 'Too many.',
      retry_at: at(now),
      held: { [ca]: at(now + hour) },
    };
    const { steps, waiting, requeueAfter } = planned(limited);
    assert.deepEqual([steps, waiting?.reason, requeueAfter], [[], 'RateLimited', hour]);
    const other = 'https://other.test/dir';
    assert.deepEqual(planned(limited, {}, [ca, other]).steps, [{ do: 'order', directory: other }]);
  });

  it('is renewed when it is time, and not before', () => {
    const { steps, waiting, requeueAfter } = planned({ ...issued, renew_at: at(now + hour) });
    assert.deepEqual([steps, waiting, requeueAfter], [[], undefined, hour]);
    assert.deepEqual(planned({ ...issued, renew_at: at(now) }).steps, [{ do: 'order', directory: ca }]);
  });

  it('looks again after half a day at the latest: timers cannot wait for months', () => {
    assert.equal(planned({ ...issued, renew_at: at(now + 1000 * hour) }).requeueAfter, 12 * hour);
  });

  it('stays as it is on a node that asks for none any longer', () => {
    const { steps, waiting } = planned({ ...issued, renew_at: at(now) }, {}, null);
    assert.deepEqual([steps, waiting?.reason], [[], 'AcmeDisabled']);
  });

  it('goes after its orders', () => {
    const deleted = aCertificate({ deleted_at: at(now) });
    const left = (...orders: Observed['orders']) =>
      plan(deleted, { verified: true, orders }, [ca], now).steps;
    const order = anOrder();
    assert.deepEqual(left(order), [{ do: 'removeOrders', ids: [order.id] }]);
    assert.deepEqual(left(anOrder({ deleted_at: at(now) })), []);
    assert.deepEqual(left(), [{ do: 'purge' }]);
  });
});
