/** Commands of consoles over the life and the death of control planes; the engine goes on. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { startConsoles } from '../../../controllers/console/consoles.ts';
import { openLedger } from '../../../controllers/console/ledger.ts';
import type { ExecSession } from '../../../controllers/engine/exec.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import { consoleCommands } from '../../support/fake-exec.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const asked = { command: consoleCommands.sleep, tty: true };

/** Undefined while it runs. */
const codeOf = async (session: ExecSession) => session.exitCode().catch(() => undefined);

async function world() {
  const clock = new ManualClock();
  const engine = new FakeEngine(clock);
  await engine.ensureNetwork({ name: 'net', subnet: '10.1.2.0/24', labels: {} });
  const container = await engine.createReplica({
    ...{ name: 'web', image: engine.addImage('web:1'), env: {}, labels: {}, mounts: [] },
    network: { name: 'net', address: '10.1.2.2' },
    limits: { memoryBytes: 1, cpus: 1, pids: 1 },
  });
  await engine.startReplica(container);
  const ledger = await openLedger(temporaryDirectory());
  const log = recordingLog();
  const start = () => startConsoles({ engine, ledger, clock, random: randomBytes, log });
  /** Of a control plane that was killed: nothing of it is left but what the engine runs. */
  const killed = async (place: string) => {
    const consoles = start();
    const session = await consoles.exec(place, asked);
    await consoles.close();
    return session;
  };
  const isEmpty = async () => (await ledger.list()).length === 0;
  return { clock, engine, container, ledger, start, killed, isEmpty, log };
}

describe('commands of consoles', () => {
  it('stand in the ledger until they have ended', async () => {
    const { container, ledger, start, isEmpty } = await world();
    const consoles = start();
    const sessions = [await consoles.exec(container, asked), await consoles.exec(container, asked)];
    const entries = await ledger.list();
    assert.equal(new Set(entries.map(({ mark }) => mark)).size, 2);
    for (const session of sessions) await session.close();
    assert.ok(await isEmpty());
    await consoles.close();
  });

  it('are ended by the next control plane when theirs was killed, and by none while their console is open', async () => {
    const { clock, container, start, killed, isEmpty } = await world();
    const left = await killed(container);
    const next = start();
    const open = await next.exec(container, asked);
    await eventually(async () => (await codeOf(left)) === 129);
    await clock.advance(60_000);
    assert.equal(await codeOf(open), undefined);
    await open.close();
    assert.ok(await isEmpty());
    await next.close();
  });

  it('are ended once the engine can be reached again', async () => {
    const { clock, engine, container, start, killed, isEmpty, log } = await world();
    const left = await killed(container);
    engine.down();
    const next = start();
    await eventually(() => log.lines.some(({ message }) => /could not be ended yet/.test(message)));
    engine.up();
    await clock.advance(10_000);
    await eventually(isEmpty);
    assert.equal(await left.exitCode(), 129);
    await next.close();
  });

  it('that were perhaps started, for the answer was lost, are ended as well', async () => {
    const { clock, engine, container, start, isEmpty } = await world();
    const consoles = start();
    engine.inject('exec', 'lost reply');
    await assert.rejects(consoles.exec(container, asked), /out of reach/);
    assert.ok(!(await isEmpty()));
    await clock.advance(10_000);
    await eventually(isEmpty);
    await consoles.close();
    assert.equal(clock.pending, 0);
  });
});
