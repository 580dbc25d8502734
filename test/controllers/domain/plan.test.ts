import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Observed } from '../../../controllers/domain/observe.ts';
import { plan } from '../../../controllers/domain/plan.ts';
import { aCertificate, aDomain, anId } from '../../support/store.ts';

const now = Date.UTC(2030, 0, 2);
const hour = 3_600_000;
const answered: Observed = { isAnswered: true, certificates: [] };
const verified = (hoursAgo: number, id = anId('domain')) =>
  aDomain({
    id,
    spec: { attempt: 1 },
    status: { phase: 'Verified', attempt: 1, checked_at: new Date(now - hoursAgo * hour).toISOString() },
  });

describe('a domain', () => {
  it('is left alone until somebody asks', () => {
    assert.deepEqual(plan(aDomain(), answered, now), { steps: [] });
    const failed = aDomain({ spec: { attempt: 2 }, status: { phase: 'Failed', attempt: 2 } });
    assert.deepEqual(plan(failed, answered, now), { steps: [] });
  });

  it('is looked at once for every attempt, as soon as the ingress answers its challenge', () => {
    const asked = aDomain({ spec: { attempt: 2 }, status: { phase: 'Failed', attempt: 1 } });
    assert.deepEqual(plan(asked, { ...answered, isAnswered: false }, now).steps, [{ do: 'awaitRoutes' }]);
    assert.deepEqual(plan(asked, answered, now).steps, [{ do: 'look' }]);
  });

  it('is looked at again within twelve hours once it is verified, and each at a time of its own', () => {
    assert.deepEqual(plan(verified(12), answered, now).steps, [{ do: 'look' }]);
    const waits = Array.from(
      { length: 50 },
      (_, n) => plan(verified(0, anId('domain', n)), answered, now).requeueAfter ?? 0,
    );
    assert.ok(waits.every((wait) => wait > 10.7 * hour && wait <= 12 * hour));
    assert.ok(new Set(waits).size > 40);
    const [wait = 0] = waits;
    assert.equal(plan(verified(1, anId('domain', 0)), answered, now).requeueAfter, wait - hour);
  });

  it('that is deleted takes its certificate along first', () => {
    const deleted = aDomain({ deleted_at: '2030-01-01T00:00:00.000Z', spec: { attempt: 1 } });
    const certificate = aCertificate();
    assert.deepEqual(plan(deleted, { ...answered, certificates: [certificate] }, now).steps, [
      { do: 'deleteCertificates', ids: [certificate.id] },
    ]);
    const going = aCertificate({ deleted_at: '2030-01-01T00:00:00.000Z' });
    assert.deepEqual(plan(deleted, { ...answered, certificates: [going] }, now).steps, []);
    assert.deepEqual(plan(deleted, answered, now).steps, [{ do: 'purge' }]);
  });
});
