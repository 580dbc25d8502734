import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gateVerdict } from '../../../controllers/deployment/verdict.ts';
import { aDeployment, aReplica, type Said } from '../../support/store.ts';

const at = '2030-01-01T00:00:00.000Z';
const late = Date.parse(at) + 121_000;

const verdict = (status: Said<'Replica'>['status'], output: string[] = []) =>
  gateVerdict([{ row: aReplica({ ...(status && { status }) }), output }], aDeployment(), late);

const exited = (code: number) =>
  ({ phase: 'Exited', last_exit: { code, out_of_memory: false, at } }) as const;

describe('the verdict of the gate', () => {
  it('tells what the last probe answered, and what was printed', () => {
    const asked = verdict({ phase: 'Starting', started_at: at, probe: '503: "no database"' }, ['hello']);
    assert.equal(
      asked?.message,
      'No good answer from / within 2m. The last probe: 503: "no database". Its last lines:\n  hello',
    );
  });

  it('knows a workload that has not answered its first probe from one that never ran', () => {
    assert.match(
      verdict({ phase: 'Starting', started_at: at })?.message ?? '',
      /last probe: no answer in time\./,
    );
    assert.match(verdict({ phase: 'Pending' })?.message ?? '', /last probe: nothing was there to ask\./);
  });

  it('knows a command that could not be run, which the init in the container finds out, from one that failed', () => {
    for (const line of [
      '[FATAL tini (7)] exec /nowhere failed: No such file or directory',
      'ERROR (catatonit:2): failed to exec pid1: No such file or directory',
    ]) {
      const unfound = verdict(exited(127), [line]);
      assert.equal(unfound?.reason, 'StartFailed');
      assert.match(unfound.message, /No such file or directory/);
    }
    assert.equal(verdict(exited(127), ['sh: nowhere: not found'])?.reason, 'WorkloadExited');
    assert.equal(verdict(exited(1), ['[FATAL tini (7)] or so I say'])?.reason, 'WorkloadExited');
  });

  it('is spoken at once when a secret cannot be had, in the words of the replica', () => {
    const message = 'Version 1 of the secret DATABASE_URL is not there. Set it again.';
    const ready = { type: 'Ready', status: 'False', reason: 'SecretUnavailable', message } as const;
    const unstarted = aReplica({
      status: { phase: 'Exited', conditions: [{ ...ready, last_transition_at: at }] },
    });
    const spoken = gateVerdict([{ row: unstarted, output: [] }], aDeployment(), Date.parse(at));
    assert.deepEqual(spoken, { reason: 'SecretUnavailable', message });
  });
});
