import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AcmeAuthorization, AcmeChallenge } from '../../../controllers/acme/acme.ts';
import { plan } from '../../../controllers/challenge/plan.ts';
import type { ChallengeStatus } from '../../../specs/certificate.ts';
import { aChallenge } from '../../support/store.ts';

const seen = (
  status: AcmeAuthorization['status'],
  challenge: AcmeChallenge['status'],
  error: string | null = null,
): AcmeAuthorization => ({
  status,
  challenge: { status: challenge, url: 'u', token: 't', key_authorization: 'k', error },
});

function planned(phase: ChallengeStatus['phase'], answered: boolean, authorization?: AcmeAuthorization) {
  return plan(aChallenge({ status: { phase } }), { answered, authorization }).steps;
}

describe('a challenge', () => {
  it('is not presented before every worker answers it', () => {
    assert.deepEqual(planned('Pending', false), []);
    assert.deepEqual(planned('Pending', true, seen('pending', 'pending')), [{ do: 'present' }]);
  });

  it('is not presented twice when that it was is not written down', () => {
    const steps = planned('Pending', true, seen('pending', 'processing'));
    assert.deepEqual(steps, [{ do: 'note', status: { phase: 'Presented' } }]);
  });

  it('goes on to the end when the answer is taken away meanwhile', () => {
    const steps = planned('Presented', false, seen('valid', 'valid'));
    assert.deepEqual(steps, [{ do: 'note', status: { phase: 'Valid', last_error: null } }]);
  });

  it('fails with what the authority saw', () => {
    for (const authorization of [
      seen('invalid', 'invalid', 'Seen 404.'),
      seen('pending', 'invalid', 'Seen 404.'),
    ]) {
      const [step] = planned('Presented', true, authorization);
      assert.ok(step?.do === 'note' && step.status.phase === 'Failed');
      assert.match(step.status.last_error ?? '', /served here: Seen 404\.$/);
    }
    for (const status of ['deactivated', 'expired', 'revoked'] as const)
      assert.equal(planned('Presented', true, seen(status, 'pending'))[0]?.do, 'note');
  });

  it('rests once it has ended, until it is removed', () => {
    for (const phase of ['Valid', 'Failed'] as const) assert.deepEqual(planned(phase, true), []);
    const deleted = aChallenge({ deleted_at: '2030-01-01T00:00:00.000Z' });
    assert.deepEqual(plan(deleted, { answered: true, authorization: undefined }).steps, [{ do: 'purge' }]);
  });
});
