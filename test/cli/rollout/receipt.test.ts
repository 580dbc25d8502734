import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { receiptFacts, receiptLine, watchLine } from '../../../cli/rollout/receipt.ts';
import type { DeploymentResource } from '../../../specs/resources.ts';

const at = '2030-01-01T00:00:00.000Z';
const receipt = {
  ...{ served_old: 1_000, served_new: 233, failed: 1, aborted: 0, parked: 0, parked_longest_ms: 0 },
  ...{ longest_wait_ms: 2_040, started_at: at, finished_at: at },
};

describe('a receipt in words', () => {
  it('is how many failed, of how many', () => {
    assert.equal(receiptLine(receipt), '1 failed of 1,234 requests');
  });

  it('is all of it, and of parking only where there was any', () => {
    assert.deepEqual(receiptFacts(receipt).split('\n'), [
      '233 requests served by it, 1,000 by the replicas before',
      '1 failed, 0 cut at the end of the drain',
      'longest wait 2.0s',
    ]);
    const parked = { ...receipt, parked: 12, parked_longest_ms: 3_400, finished_at: null };
    assert.match(
      receiptFacts(parked),
      /before \(so far\)\n[^]*\n12 waited at the ingress, the longest 3\.4s$/,
    );
  });

  it('says for how long it is watched', () => {
    const watched = (until: string | null) =>
      watchLine({ watched_until: until } as DeploymentResource, Date.parse(at));
    assert.equal(watched('2030-01-01T00:00:58.200Z'), 'watched for another 59s');
    assert.equal(watched(at), undefined);
    assert.equal(watched(null), undefined);
  });
});
