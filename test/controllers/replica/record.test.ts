import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordDeath, recordReturn, recordSilence } from '../../../controllers/replica/record.ts';
import type { NewEvent } from '../../../specs/event.ts';
import type { ReplicaPhase } from '../../../specs/replica.ts';
import { aReplica } from '../../support/store.ts';

const noted = (act: (events: { record: (event: NewEvent) => void }) => void): NewEvent[] => {
  const events: NewEvent[] = [];
  act({ record: (event) => events.push(event) });
  return events;
};

describe('what is noted of a replica', () => {
  it('calls it what `svc logs --replica` takes', () => {
    const row = aReplica({ id: 'rep_01m80w1zds8hyze83q5kp671c6', name: '2.0' });
    const [event] = noted((events) => {
      recordDeath(row, { reason: 'Exited', message: 'Exited with code 1.' }, events);
    });
    assert.deepEqual([event?.name, event?.object], ['p671c6', row.id]);
  });

  const befores: [ReplicaPhase, number, boolean][] = [
    ['Starting', 1, true],
    ['Exited', 1, true],
    ['Starting', 0, false],
    ['Ready', 1, false],
    // Its project's network was away: it ran on.
    ['Pending', 1, false],
  ];
  for (const [phase, restarts, isReturn] of befores) {
    it(`${isReturn ? 'tells' : 'does not tell'} of a return from ${phase} after ${restarts} restarts`, () => {
      const row = aReplica({ status: { phase, restarts } });
      const events = noted((to) => {
        recordReturn(row, { phase: 'Ready' }, to);
      });
      assert.equal(events.length, isReturn ? 1 : 0);
    });
  }

  it('tells once of one that was restarted that it gives no answer, and of no other', () => {
    const said = { reason: 'Unresponsive', message: 'No answer.' } as const;
    const known = { type: 'Ready', status: 'False' as const, ...said, last_transition_at: '' };
    const told = (row: ReturnType<typeof aReplica>, what: Parameters<typeof recordSilence>[1] = said) =>
      noted((to) => {
        recordSilence(row, what, to);
      }).map(({ type, reason, message }) => [type, reason, message]);
    const restarted = aReplica({ status: { restarts: 1 } });
    assert.deepEqual(told(restarted), [['Warning', 'Unresponsive', 'No answer.']]);
    assert.deepEqual(told(aReplica({ status: { restarts: 1, conditions: [known] } })), []);
    assert.deepEqual(told(restarted, { reason: 'Starting', message: '' }), []);
    assert.deepEqual(told(aReplica()), []);
  });
});
