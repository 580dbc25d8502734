import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { floodGate } from '../../../api/audit/flood-gate.ts';
import type { AuditEntry } from '../../../specs/audit.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function entry(said: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ...{ id: 'aud_1', at: '2030-01-01T00:00:00.000Z', token_kind: null, token_id: null, user_id: null },
    ...{ username: null, address: '192.0.2.1', method: 'POST', route: '/v1/projects', project_id: null },
    ...{ object: null, fields: [], status: 401, code: 'unauthenticated', request_id: 'req_1', count: 1 },
    ...{ detail: null, object_name: null },
    ...said,
  };
}

function gate() {
  const clock = new ManualClock();
  const written: AuditEntry[] = [];
  return { clock, written, gate: floodGate(clock, (rest) => void written.push(rest)) };
}

describe('the flood gate', () => {
  it('admits 60 a minute, and counts the rest into one when the minute is over', async () => {
    const { clock, written, gate: flood } = gate();
    const admitted = Array.from({ length: 100 }, () => flood.admits('', entry())).filter(Boolean);
    assert.equal(admitted.length, 60);
    assert.deepEqual(written, []);
    await clock.advance(60_000);
    assert.deepEqual(written, [entry({ count: 40 })]);
    assert.ok(flood.admits('', entry()));
  });

  it('says * for what the counted do not have in common', async () => {
    const { clock, written, gate: flood } = gate();
    for (let i = 0; i < 60; i++) flood.admits('', entry());
    flood.admits('', entry({ username: 'ann', user_id: 'usr_1', fields: ['password', 'username'] }));
    flood.admits('', entry({ address: '192.0.2.2', method: 'PUT', route: '/v1/me/password' }));
    flood.admits('', entry({ status: 404, code: 'not_found' }));
    await clock.advance(60_000);
    const mixed = { address: '*', method: '*', route: '*', status: 400, code: '*', count: 3 };
    assert.deepEqual(written, [entry(mixed)]);
  });

  it('counts everybody apart, and keeps who it was', async () => {
    const { clock, written, gate: flood } = gate();
    const of = (user_id: string) => entry({ user_id, username: user_id, token_id: `tok_${user_id}` });
    for (let i = 0; i < 62; i++) flood.admits('ann', of('ann'));
    assert.ok(flood.admits('bob', of('bob')));
    await clock.advance(60_000);
    assert.deepEqual(written, [{ ...of('ann'), count: 2 }]);
    assert.equal(clock.pending, 0);
  });

  it('gives out what it has counted when the node stops, once', async () => {
    const { clock, written, gate: flood } = gate();
    for (let i = 0; i < 61; i++) flood.admits('', entry());
    for (let i = 0; i < 62; i++) flood.admits('ann', entry({ user_id: 'ann' }));
    assert.deepEqual(
      flood.flush().map(({ user_id, count }) => [user_id, count]),
      [
        [null, 1],
        ['ann', 2],
      ],
    );
    assert.deepEqual(flood.flush(), []);
    await clock.advance(60_000);
    assert.deepEqual(written, []);
    assert.equal(clock.pending, 0);
  });

  it('writes nothing after a quiet minute', async () => {
    const { clock, written, gate: flood } = gate();
    flood.admits('', entry());
    await clock.advance(60_000);
    assert.deepEqual(written, []);
    assert.equal(clock.pending, 0);
  });
});
