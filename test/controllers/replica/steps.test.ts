import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Observed } from '../../../controllers/replica/observe.ts';
import { apply, type StepDeps } from '../../../controllers/replica/steps.ts';
import { aDeployment, aReplica } from '../../support/store.ts';

const never = new AbortController().signal;

/** What is called, in order. */
function recorded(): { calls: string[]; deps: StepDeps } {
  const calls: string[] = [];
  const note = (call: string) => () => {
    calls.push(call);
    return Promise.resolve();
  };
  const deps = {
    engine: { startReplica: note('start'), inspectReplica: () => Promise.resolve({ startedAt: null }) },
    sockets: { prepare: note('prepare') },
  } as unknown as StepDeps;
  return { calls, deps };
}

const observed = (listen: 'tcp' | 'socket'): Observed => {
  const deployment = aDeployment();
  deployment.spec.workload.listen = listen;
  return { deployment, container: { id: 'c1' } } as Observed;
};

it('prepares the directory of a socket before every start: an earlier run or a reboot came between', async () => {
  for (const step of ['start', 'restart'] as const) {
    const { calls, deps } = recorded();
    await apply([{ do: step }], aReplica(), observed('socket'), deps, never);
    assert.deepEqual(calls, ['prepare', 'start']);
  }
});

it('makes no directory for a workload that listens on its port', async () => {
  const { calls, deps } = recorded();
  await apply([{ do: 'restart' }], aReplica(), observed('tcp'), deps, never);
  assert.deepEqual(calls, ['start']);
});
