/** What every engine tells of its containers: their output and what happens to them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rejectsWith, type Scene } from './engine-scene.ts';

/** @param play the scene, once it is set */
export function outputContract(play: () => Scene): void {
  describe('output and events', () => {
    it('reads what a workload printed, from any time on', async () => {
      const scene = play();
      const id = await scene.started({ prints: ['one', 'two, hellø', ''], exits: 0 });
      await scene.state(id, 'exited');
      const lines = await scene.read(id);
      assert.deepEqual(
        lines.map(({ stream, line }) => `${stream} ${line}`),
        ['stdout one', 'stdout two, hellø', 'stdout '],
      );
      assert.deepEqual(await scene.read(id, lines[1]?.at), lines.slice(1));
      assert.deepEqual(await scene.read(id, undefined, true), lines);
    });

    it('follows what a workload prints until it ends or nobody listens any more', async () => {
      const scene = play();
      const id = await scene.started({ prints: ['ready'] });
      await scene.firstLine(id);
      const following = scene.read(id, undefined, true);
      const hangup = new AbortController();
      for await (const { line } of scene.engine.replicaLogs(id, { follow: true, signal: hangup.signal })) {
        assert.equal(line, 'ready');
        hangup.abort();
      }
      await scene.settled(scene.engine.stopReplica(id, 5_000));
      assert.deepEqual(
        (await scene.settled(following)).map(({ line }) => line),
        ['ready'],
      );
    });

    it('passes on what a workload prints until it ends or nobody listens any more', async () => {
      const scene = play();
      const id = await scene.started({ prints: ['before'] });
      await scene.firstLine(id);
      const hangup = new AbortController();
      const leaving = Array.fromAsync(scene.engine.replicaOutput(id, hangup.signal));
      const staying = Array.fromAsync(scene.engine.replicaOutput(id, new AbortController().signal));
      await scene.world.tick();
      hangup.abort();
      assert.deepEqual(await scene.settled(leaving), [], 'nothing of what was printed before');
      await scene.settled(scene.engine.stopReplica(id, 5_000));
      assert.deepEqual(await scene.settled(staying), []);
      const nothing = scene.engine.replicaOutput('f'.repeat(64), new AbortController().signal);
      await rejectsWith('not_found', Array.fromAsync(nothing));
    });

    it('tells what the containers use that run', async () => {
      const scene = play();
      const id = await scene.started({ prints: ['ready'] });
      await scene.firstLine(id);
      const ended = await scene.started({ exits: 0 });
      await scene.state(ended, 'exited');
      const stats = await scene.engine.replicaStats([id, ended, 'f'.repeat(64)]);
      assert.deepEqual([...stats.keys()], [id]);
      const found = stats.get(id);
      assert.equal(found?.memoryLimitBytes, 32 * 2 ** 20);
      assert.ok(found.memoryBytes > 0 && found.memoryBytes < 32 * 2 ** 20 && found.pids >= 1);
      assert.ok(found.cpuSeconds >= 0 && found.receivedBytes >= 0 && found.sentBytes >= 0);
      assert.equal((await scene.engine.replicaStats([])).size, 0);
    });

    it('has no log of what is not there', async () => {
      const scene = play();
      await rejectsWith('not_found', scene.read('f'.repeat(64)));
    });

    it('tells that a container was disconnected from a network', async () => {
      const scene = play();
      const hangup = new AbortController();
      const seen: string[] = [];
      const listening = (async () => {
        for await (const { action, container, network } of scene.engine.events(scene.node(), hangup.signal))
          seen.push(`${action} ${network} ${container}`);
      })();
      await scene.world.tick();
      const id = await scene.started({});
      const { name } = scene.network();
      await scene.engine.disconnectReplica(id, name);
      await scene.until(() => (seen.includes(`disconnect ${name} ${id}`) ? true : undefined));
      hangup.abort();
      await scene.settled(listening);
    });

    it('tells what happens to containers with these labels', async () => {
      const scene = play();
      const labels = { 'svc.node': scene.unique, 'svc.group': 'events' };
      const hangup = new AbortController();
      const seen: string[] = [];
      const listening = (async () => {
        for await (const event of scene.engine.events(labels, hangup.signal)) {
          // Of networks and images everybody's are told.
          if (event.network !== null || event.container === null) continue;
          assert.deepEqual(event.labels, labels);
          seen.push(`${event.action} ${event.container}`);
        }
      })();
      await scene.world.tick();
      const id = await scene.engine.createReplica(
        scene.spec(await scene.world.image({ exits: 0 }), { labels }),
      );
      await scene.engine.startReplica(id);
      await scene.started({ exits: 0 });
      await scene.until(() => (seen.includes(`die ${id}`) ? true : undefined));
      assert.ok(seen.includes(`start ${id}`));
      assert.ok(seen.every((event) => event.endsWith(id)));
      hangup.abort();
      await scene.settled(listening);
    });
  });
}
