/** Commands beside a workload, as every engine runs them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ExecSession } from '../../controllers/engine/exec.ts';
import { consoleCommands as commands } from '../support/fake-exec.ts';
import { rejectsWith, type Scene } from './engine-scene.ts';

/** @param play the scene, once it is set */
export function execContract(play: () => Scene): void {
  describe('commands beside a workload', () => {
    it('read their input to its end, and print', async () => {
      const scene = play();
      const session = await scene.engine.exec(await scene.started({}), { command: commands.cat, tty: false });
      const bytes = Buffer.from([...Array.from({ length: 256 }, (_, byte) => byte), ...Buffer.from('ø\r\n')]);
      session.stdin.write(bytes);
      session.stdin.end('the end');
      const { stdout, stderr } = await ended(scene, session);
      assert.deepEqual(stdout, Buffer.concat([bytes, Buffer.from('the end')]));
      assert.equal(stderr.length, 0);
      assert.equal(await session.exitCode(), 0);
    });

    it('print on two streams, and end with a code', async () => {
      const scene = play();
      const session = await scene.engine.exec(await scene.started({}), {
        command: commands.both,
        tty: false,
      });
      const { stdout, stderr } = await ended(scene, session);
      assert.deepEqual([String(stdout), String(stderr)], ['out\n', 'err\n']);
      assert.equal(await session.exitCode(), 3);
      await session.close();
    });

    it('that are not there end with 127, and say so', async () => {
      const scene = play();
      const session = await scene.engine.exec(await scene.started({}), { command: ['nosuch'], tty: false });
      const { stdout, stderr } = await ended(scene, session);
      assert.equal(String(stdout), '');
      assert.match(String(stderr), /^The container has no command "nosuch".*\n$/);
      assert.equal(await session.exitCode(), 127);
      await session.close();
    });

    it('have a terminal of the size that it was given last', async () => {
      const scene = play();
      const size = { cols: 80, rows: 24 };
      const container = await scene.started({});
      const session = await scene.engine.exec(container, { command: commands.size, tty: true, size });
      await session.resize({ cols: 101, rows: 33 });
      const { stdout } = await ended(scene, session);
      assert.equal(String(stdout), '33 101\r\n');
      assert.equal(await session.exitCode(), 0);
      await session.resize(size);
    });

    for (const tty of [true, false]) {
      it(`are hung up when nobody wants them any more, ${tty ? 'with' : 'without'} a terminal`, async () => {
        const scene = play();
        const session = await scene.engine.exec(await scene.started({}), { command: commands.sleep, tty });
        await Promise.all([session.close(), session.close()]);
        // 128 + SIGHUP.
        assert.equal(await session.exitCode(), 129);
        await session.close();
      });
    }

    it('are ended by their mark where nobody has their session any more, and others are not', async () => {
      const scene = play();
      const container = await scene.started({});
      const begin = async (mark: string) => {
        let exec = '';
        const made = (id: string) => Promise.resolve(void (exec = id));
        const request = { command: commands.sleep, tty: true, mark, made };
        return { session: await scene.engine.exec(container, request), left: { container, exec, mark } };
      };
      const [one, other] = [await begin(`${scene.unique}a`), await begin(`${scene.unique}b`)];
      assert.notEqual(one.left.exec, '');
      await scene.settled(scene.engine.endExec(one.left));
      assert.equal(await one.session.exitCode(), 129);
      await scene.settled(scene.engine.endExec(one.left));
      await scene.settled(scene.engine.endExec({ ...other.left, container: 'f'.repeat(64), exec: 'gone' }));
      assert.equal((await scene.engine.inspectReplica(container))?.state, 'running');
      await other.session.close();
      assert.equal(await other.session.exitCode(), 129);
    });

    it('are not started when who asked for them cannot note them', async () => {
      const scene = play();
      const made = () => Promise.reject(new Error('no room'));
      const asked = scene.engine.exec(await scene.started({}), { command: commands.sleep, tty: true, made });
      await assert.rejects(asked, /no room/);
    });

    it('end with the workload', async () => {
      const scene = play();
      const id = await scene.started({ ignoresTerm: true, prints: ['ready'] });
      await scene.firstLine(id);
      const session = await scene.engine.exec(id, { command: commands.sleep, tty: false });
      const over = ended(scene, session);
      await scene.settled(scene.engine.stopReplica(id, 1_000));
      await over;
      assert.equal(await session.exitCode(), 137);
      await rejectsWith('conflict', scene.engine.exec(id, { command: commands.cat, tty: false }));
    });

    it('are not started where there is no container', async () => {
      const scene = play();
      await rejectsWith(
        'not_found',
        scene.engine.exec('f'.repeat(64), { command: commands.cat, tty: false }),
      );
    });
  });
}

async function ended(scene: Scene, { output }: ExecSession): Promise<{ stdout: Buffer; stderr: Buffer }> {
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const reading = (async () => {
    for await (const { stream, data } of output) chunks[stream].push(data);
  })();
  await scene.settled(reading);
  return { stdout: Buffer.concat(chunks.stdout), stderr: Buffer.concat(chunks.stderr) };
}
