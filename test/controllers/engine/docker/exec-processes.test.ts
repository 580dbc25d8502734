/** Sessions of processes on this machine, as an engine begins them, and what becomes of each process. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { endProcesses, type Signalling } from '../../../../controllers/engine/docker/exec-processes.ts';
import { systemClock as clock } from '../../../../controllers/runtime/system-clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { processesWith } from '../../../support/processes.ts';

let marks = 300_000_000 + process.pid;
/** How long a sleep of a test lasts: no other process has it. */
const mark = () => String((marks += 1));

/** A session of its own that runs this. @returns its leader, once so many sleeps of it run */
async function session(
  t: TestContext,
  script: string,
  word: string,
  sleeps: number,
  env: NodeJS.ProcessEnv = {},
): Promise<number> {
  const child = spawn('sh', ['-c', script], {
    ...{ detached: true, stdio: 'ignore', env: { ...process.env, ...env } },
  });
  t.after(async () => {
    for (const pid of await processesWith(word)) process.kill(pid, 'SIGKILL');
    child.kill('SIGKILL');
  });
  await eventually(async () => (await processesWith(word)).length === sleeps);
  return child.pid ?? 0;
}

/** Every process here has this cgroup. */
const here = async () => (await readFile('/proc/self/cgroup', 'utf8')).trim();

const signalling = (said: Partial<Signalling> = {}): Signalling => ({
  clock,
  kill: (pid, signal) => void process.kill(pid, signal),
  killInside: () => Promise.reject(new Error('nobody is foreign here')),
  ...said,
});

describe('the processes of a command', () => {
  it('are ended with all that descends from it or is in its session', async (t) => {
    const word = mark();
    const orphan = `(sleep ${word} & exit)`;
    const script = `sleep ${word} & (sleep ${word} & wait) & ${orphan}; setsid sleep ${word} & wait`;
    const leader = await session(t, script, word, 4);
    await endProcesses({ leader, container: await here(), mark: undefined }, signalling());
    assert.deepEqual(await processesWith(word), []);
  });

  it('are killed when they do not hear', async (t) => {
    const word = mark();
    const leader = await session(t, `trap '' HUP; sleep ${word} & sleep ${word}`, word, 2);
    await endProcesses({ leader, container: await here(), mark: undefined }, signalling());
    assert.deepEqual(await processesWith(word), []);
  });

  it('are ended by their mark where the command has gone, or they have left its session', async (t) => {
    const [word, other] = [mark(), mark()];
    await session(t, `sleep ${word} & setsid sh -c '(sleep ${word} & exit)' & exit`, word, 2, { MARK: 'a1' });
    await session(t, `sleep ${other}; true`, other, 1, { MARK: 'a12', NOMARK: 'a1' });
    await endProcesses({ leader: undefined, container: await here(), mark: 'MARK=a1' }, signalling());
    assert.deepEqual(await processesWith(word), []);
    assert.equal((await processesWith(other)).length, 1);
  });

  it('are none that is in another container, whatever their numbers', async (t) => {
    const word = mark();
    const leader = await session(t, `sleep ${word}; true`, word, 1);
    await endProcesses({ leader, container: 'f'.repeat(64), mark: undefined }, signalling());
    assert.equal((await processesWith(word)).length, 1);
  });

  it('of others are ended from inside, by the numbers that they have there', async (t) => {
    const word = mark();
    const leader = await session(t, `sleep ${word}; true`, word, 1);
    const refused = () => {
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
    };
    const asked: string[] = [];
    const killInside: Signalling['killInside'] = (pids, signal) => {
      asked.push(signal);
      // There is no other container: they are the same numbers.
      for (const pid of pids) process.kill(pid, signal);
      return Promise.resolve();
    };
    await endProcesses(
      { leader, container: await here(), mark: undefined },
      signalling({ kill: refused, killInside }),
    );
    assert.deepEqual(await processesWith(word), []);
    assert.deepEqual(asked, ['SIGHUP']);
  });

  it('that cannot be ended are no secret', async (t) => {
    const word = mark();
    const leader = await session(t, `sleep ${word}; true`, word, 1);
    const quick = { now: () => clock.now(), after: (_ms: number, fn: () => void) => clock.after(0, fn) };
    await assert.rejects(
      endProcesses(
        { leader, container: await here(), mark: undefined },
        signalling({ clock: quick, kill: () => undefined }),
      ),
      /could not be ended: look at the container/,
    );
  });
});
