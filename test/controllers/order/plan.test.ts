import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AcmeAuthorization, AcmeOrder } from '../../../controllers/acme/acme.ts';
import type { Observed } from '../../../controllers/order/observe.ts';
import { plan } from '../../../controllers/order/plan.ts';
import type { OrderStatus } from '../../../specs/certificate.ts';
import { aChallenge, anOrder } from '../../support/store.ts';

const created = Date.UTC(2030, 0, 1);
const url = 'https://ca.test/order/1';
const challenge = {
  ...({ status: 'pending', url: 'https://ca.test/challenge/1', token: 'the-acme-token' } as const),
  ...{ key_authorization: 'the-acme-token.thumbprint', error: null },
};

function planned(status: Partial<OrderStatus>, seen: Partial<Observed> = {}, now = created) {
  const nothing = { challenges: [], remote: undefined, authorization: undefined };
  return plan(anOrder({ status }), { ...nothing, ...seen }, now);
}

const remote = (status: AcmeOrder['status'], more: Partial<AcmeOrder> = {}): AcmeOrder => ({
  ...{ status, authorizations: ['https://ca.test/authorization/1'], finalize: 'https://ca.test/finalize/1' },
  ...{ certificate: null, error: null, ...more },
});
const authorization = (status: AcmeAuthorization['status'], more: Partial<AcmeAuthorization> = {}) => ({
  ...{ status, challenge, url: 'https://ca.test/authorization/1', ...more },
});
const does = ({ steps }: { steps: { do: string }[] }): string[] => steps.map((step) => step.do);

describe('an order', () => {
  it('is made at the authority first', () => {
    assert.deepEqual(does(planned({})), ['make']);
  });

  it('gets a challenge for what is not proven yet', () => {
    const seen = { remote: remote('pending'), authorization: authorization('pending') };
    assert.deepEqual(planned({ url }, seen).steps, [
      { do: 'challenge', authorization: 'https://ca.test/authorization/1', challenge },
    ]);
  });

  it('waits for its challenge, and for the authority', () => {
    assert.deepEqual(does(planned({ url }, { challenges: [aChallenge()] })), []);
    const valid = [aChallenge({ status: { phase: 'Valid' } })];
    const slow = { remote: remote('pending'), authorization: authorization('pending'), challenges: valid };
    assert.ok((planned({ url }, slow).requeueAfter ?? 0) >= 1000);
    const reused = { remote: remote('pending'), authorization: authorization('valid') };
    assert.ok((planned({ url }, reused).requeueAfter ?? 0) >= 1000);
    assert.ok((planned({ url }, { remote: remote('processing') }).requeueAfter ?? 0) >= 1000);
  });

  it('is finished and fetched, in one pass each', () => {
    assert.deepEqual(does(planned({ url }, { remote: remote('ready') })), ['finalize']);
    const certificate = 'https://ca.test/certificate/1';
    assert.deepEqual(planned({ url, phase: 'Ready' }, { remote: remote('valid', { certificate }) }).steps, [
      { do: 'download', url: certificate },
    ]);
  });

  const failures: [string, Partial<Observed>, RegExp][] = [
    [
      'its challenge failed',
      { challenges: [aChallenge({ status: { phase: 'Failed', last_error: 'Seen 404.' } })] },
      /Seen 404/,
    ],
    ['the authority gave it up', { remote: remote('invalid', { error: 'CAA forbids.' }) }, /CAA forbids/],
    [
      'the proof was not accepted',
      { remote: remote('pending'), authorization: authorization('invalid') },
      /did not accept/,
    ],
    [
      'there is no http-01',
      { remote: remote('pending'), authorization: authorization('pending', { challenge: null }) },
      /no http-01/,
    ],
    ['there is nothing to prove it by', { remote: remote('pending', { authorizations: [] }) }, /no proof/],
  ];
  for (const [what, seen, error] of failures) {
    it(`fails when ${what}`, () => {
      const [step] = planned({ url }, seen).steps;
      assert.equal(step?.do, 'fail');
      assert.match(step.error, error);
    });
  }

  it('fails when the authority takes for ever: sooner where another could be asked', () => {
    const minute = 60_000;
    assert.deepEqual(does(planned({}, {}, created + 2 * minute)), ['fail']);
    assert.deepEqual(does(planned({ url }, { remote: remote('processing') }, created + 29 * minute)), []);
    assert.deepEqual(does(planned({ url }, { remote: remote('processing') }, created + 30 * minute)), [
      'fail',
    ]);
  });

  it('rests once it has ended, and goes after its challenge', () => {
    for (const phase of ['Issued', 'Failed'] as const) assert.deepEqual(does(planned({ url, phase })), []);
    const deleted_at = '2030-01-01T00:00:00.000Z';
    const left = (challenges: Observed['challenges']) =>
      does(
        plan(anOrder({ deleted_at }), { challenges, remote: undefined, authorization: undefined }, created),
      );
    assert.deepEqual(left([aChallenge()]), ['removeChallenges']);
    assert.deepEqual(left([aChallenge({ deleted_at })]), []);
    assert.deepEqual(left([]), ['purge']);
  });
});
