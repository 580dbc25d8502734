/** Networks and containers of every engine. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rejectsWith, type Scene } from './engine-scene.ts';

/** @param play the scene, once it is set */
export function replicaContract(play: () => Scene): void {
  describe('networks and containers', () => {
    it('has a network once, however often it is asked for', async () => {
      const scene = play();
      const ids = await Promise.all([
        scene.engine.ensureNetwork(scene.network()),
        scene.engine.ensureNetwork(scene.network()),
      ]);
      assert.equal(ids[0], ids[1]);
      const found = (await scene.engine.listNetworks()).filter((one) => one.name === scene.network().name);
      assert.deepEqual(found, [
        { id: ids[0], name: scene.network().name, subnets: [scene.network().subnet], labels: scene.node() },
      ]);
    });

    it('refuses a network that somebody else has, by name or by range', async () => {
      const scene = play();
      await rejectsWith(
        'conflict',
        scene.engine.ensureNetwork({ ...scene.network(), labels: { 'svc.node': 'another' } }),
      );
      await rejectsWith(
        'conflict',
        scene.engine.ensureNetwork({ ...scene.network(), name: `svc-${scene.unique}-2` }),
      );
    });

    it('removes a network, and one that is gone', async () => {
      const scene = play();
      const other = {
        ...scene.network(),
        name: `svc-${scene.unique}-x`,
        subnet: `${scene.range.replace(/\d+$/, '251')}.0/24`,
      };
      const id = await scene.engine.ensureNetwork(other);
      await scene.engine.removeNetwork(id);
      await scene.engine.removeNetwork(id);
      assert.ok(!(await scene.engine.listNetworks()).some((one) => one.id === id));
    });

    it('creates a container once, however often it is asked for', async () => {
      const scene = play();
      const wanted = scene.spec(await scene.world.image({}));
      const ids = await Promise.all([scene.engine.createReplica(wanted), scene.engine.createReplica(wanted)]);
      assert.equal(ids[0], ids[1]);
      const found = await scene.engine.inspectReplica(ids[0]);
      const { name, image, labels } = wanted;
      assert.deepEqual(found, {
        id: ids[0],
        name,
        image,
        labels,
        state: 'created',
        paused: false,
        networks: [{ ...wanted.network, id: found?.networks[0]?.id ?? '' }],
        limits: wanted.limits,
        selfRestarting: false,
        tunings: [],
        startedAt: null,
        exit: null,
      });
      await rejectsWith(
        'conflict',
        scene.engine.createReplica({ ...wanted, labels: { ...scene.node(), 'svc.replica': 'another' } }),
      );
    });

    it('has no container of an image that is not there', async () => {
      const scene = play();
      await rejectsWith('not_found', scene.engine.createReplica(scene.spec(`sha256:${'0'.repeat(64)}`)));
    });

    it('starts, stops and removes, each as often as it is asked for', async () => {
      const scene = play();
      const id = await scene.started({});
      await scene.engine.startReplica(id);
      const running = await scene.state(id, 'running');
      assert.ok(Date.parse(running.startedAt ?? '') > 0);
      await scene.settled(scene.engine.stopReplica(id, 5_000));
      await scene.settled(scene.engine.stopReplica(id, 5_000));
      const stopped = await scene.state(id, 'exited');
      assert.equal(stopped.exit?.code, 143);
      await scene.engine.startReplica(id);
      await scene.state(id, 'running');
      await Promise.all([scene.engine.removeReplica(id), scene.engine.removeReplica(id)]);
      await scene.engine.removeReplica(id);
      await scene.engine.stopReplica(id, 5_000);
      assert.equal(await scene.engine.inspectReplica(id), undefined);
      await rejectsWith('not_found', scene.engine.startReplica(id));
    });

    it('tells how a workload ended: by itself, over its memory limit, killed after the grace', async () => {
      const scene = play();
      const failed = await scene.state(await scene.started({ exits: 3 }), 'exited');
      assert.deepEqual({ ...failed.exit, at: '' }, { code: 3, outOfMemory: false, at: '', error: '' });
      const oversized = await scene.state(await scene.started({ outOfMemory: true }), 'exited');
      assert.deepEqual({ ...oversized.exit, at: '' }, { code: 137, outOfMemory: true, at: '', error: '' });
      const stubborn = await scene.started({ prints: ['ready'], ignoresTerm: true });
      await scene.firstLine(stubborn);
      await scene.settled(scene.engine.stopReplica(stubborn, 1_000));
      const killed = await scene.state(stubborn, 'exited');
      assert.equal(killed.exit?.code, 137);
      assert.equal(killed.exit.outOfMemory, false);
    });

    it('refuses to start what cannot run', async () => {
      const scene = play();
      const id = await scene.engine.createReplica(
        scene.spec(await scene.world.image({ refuses: 'unable to find user nosuch' })),
      );
      await rejectsWith('refused', scene.engine.startReplica(id));
      assert.equal((await scene.engine.inspectReplica(id))?.state, 'created');
    });

    it('gives an address to one container at a time', async () => {
      const scene = play();
      const image = await scene.world.image({});
      const first = scene.spec(image);
      await scene.engine.startReplica(await scene.engine.createReplica(first));
      const second = await scene.engine.createReplica(scene.spec(image, { network: first.network }));
      await rejectsWith('conflict', scene.engine.startReplica(second));
    });

    it('lists containers by their labels, whatever their state', async () => {
      const scene = play();
      const group = { 'svc.node': scene.unique, 'svc.group': 'list' };
      const image = await scene.world.image({});
      const ids = [
        await scene.engine.createReplica(scene.spec(image, { labels: group })),
        await scene.engine.createReplica(scene.spec(image, { labels: group })),
      ];
      await scene.engine.startReplica(ids[1] ?? '');
      const listed = await scene.engine.listReplicas(group);
      assert.deepEqual(
        new Set(listed.map(({ id, state }) => `${id} ${state}`)),
        new Set([`${ids[0]} created`, `${ids[1]} running`]),
      );
      assert.deepEqual(await scene.engine.listReplicas({ ...group, 'svc.group': 'nothing' }), []);
      await rejectsWith('conflict', scene.engine.removeImage(image));
    });
  });
}
