import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { consoleOf } from '../../../cli/daemon/console.ts';
import { ProblemError, type ProblemCode } from '../../../specs/problem.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import { consoleCommands } from '../../support/fake-exec.ts';
import { ManualClock } from '../../support/manual-clock.ts';

async function world() {
  const engine = new FakeEngine(new ManualClock());
  const network = { name: 'net', subnet: '10.1.2.0/24', labels: {} };
  await engine.ensureNetwork(network);
  const container = await engine.createReplica({
    ...{ name: 'web', image: engine.addImage('web:1'), env: {}, labels: {}, mounts: [] },
    network: { name: 'net', address: '10.1.2.2' },
    limits: { memoryBytes: 1, cpus: 1, pids: 1 },
  });
  return { engine, container, console: consoleOf(engine) };
}

const request = { command: consoleCommands.both, tty: false };
const refusedWith = (code: ProblemCode) => (error: unknown) =>
  error instanceof ProblemError && error.code === code && error.message !== '';

describe('consoles at the engine', () => {
  it('are commands in the container of a replica', async () => {
    const { engine, container, console } = await world();
    await engine.startReplica(container);
    const opened = await console.open(container, request);
    const printed = await Array.fromAsync(opened.output, ({ stream, data }) => `${stream} ${String(data)}`);
    assert.deepEqual(printed, ['stdout out\n', 'stderr err\n']);
    assert.equal(await opened.exitCode(), 3);
  });

  it('say in words of the API what the engine says', async () => {
    const { engine, container, console } = await world();
    await assert.rejects(console.open(container, request), refusedWith('conflict'));
    await assert.rejects(console.open('gone', request), refusedWith('conflict'));
    engine.down();
    await assert.rejects(console.open(container, request), refusedWith('unavailable'));
  });
});
