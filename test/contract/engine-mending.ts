/** What every engine can change at a container that there is: its pause, its networks, its limits. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rejectsWith, type Scene } from './engine-scene.ts';

/** @param play the scene, once it is set */
export function mendingContract(play: () => Scene): void {
  const gone = 'f'.repeat(64);

  describe('changes of a container', () => {
    it('lets one go on that was paused, and one that was not', async () => {
      const scene = play();
      const id = await scene.started({});
      await scene.world.pause(id);
      const paused = await scene.state(id, 'running');
      assert.equal(paused.paused, true);
      await scene.engine.unpauseReplica(id);
      await scene.engine.unpauseReplica(id);
      assert.deepEqual(await scene.engine.inspectReplica(id), { ...paused, paused: false });
      await rejectsWith('not_found', scene.engine.unpauseReplica(gone));
    });

    for (const state of ['running', 'created'] as const)
      it(`disconnects one that is ${state}, and connects it at the address that it had`, async () => {
        const scene = play();
        const id = await scene.engine.createReplica(scene.spec(await scene.world.image({})));
        if (state === 'running') await scene.engine.startReplica(id);
        const [before] = (await scene.state(id, state)).networks;
        assert.ok(before);
        const { name, address } = before;
        await scene.engine.disconnectReplica(id, name);
        await scene.engine.disconnectReplica(id, name);
        assert.deepEqual((await scene.engine.inspectReplica(id))?.networks, []);
        await scene.engine.connectReplica(id, { name, address });
        await scene.engine.startReplica(id);
        await rejectsWith('conflict', scene.engine.connectReplica(id, { name, address }));
        const network = (await scene.engine.listNetworks()).find((one) => one.name === name);
        const after = await scene.state(id, 'running');
        assert.deepEqual(after.networks, [{ name, address, id: network?.id ?? '' }]);
      });

    it('connects to no network that is not there, and at no address that another one has', async () => {
      const scene = play();
      const [first, second] = [await scene.started({}), await scene.started({})];
      const taken = (await scene.state(first, 'running')).networks[0];
      assert.ok(taken);
      await scene.engine.disconnectReplica(second, taken.name);
      const { name, address } = taken;
      await rejectsWith('conflict', scene.engine.connectReplica(second, { name, address }));
      await rejectsWith('not_found', scene.engine.connectReplica(second, { name: 'nosuch', address }));
      await rejectsWith(
        'not_found',
        scene.engine.connectReplica(gone, { name, address: `${scene.range}.250` }),
      );
      await scene.engine.disconnectReplica(gone, name);
    });

    it('limits one while it runs, and one that does not', async () => {
      const scene = play();
      const limits = { memoryBytes: 48 * 2 ** 20, cpus: 0.25, pids: 80 };
      const running = await scene.started({});
      const created = await scene.engine.createReplica(scene.spec(await scene.world.image({})));
      for (const id of [running, created]) {
        const before = await scene.engine.inspectReplica(id);
        await scene.engine.limitReplica(id, limits);
        assert.deepEqual(await scene.engine.inspectReplica(id), { ...before, limits });
      }
      await rejectsWith('not_found', scene.engine.limitReplica(gone, limits));
    });

    it('undoes what else somebody set at one, and tells what only another container undoes', async () => {
      const scene = play();
      const id = await scene.started({});
      const { limits } = scene.spec('');
      const lasting = async (): Promise<boolean[]> =>
        (await scene.state(id, 'running')).tunings.map((tuning) => tuning.lasting);
      assert.deepEqual(await lasting(), []);
      await scene.world.tune(id, false);
      assert.deepEqual(await lasting(), [false]);
      await scene.world.tune(id, true);
      assert.deepEqual((await lasting()).toSorted(), [false, true]);
      await scene.engine.limitReplica(id, limits);
      assert.deepEqual(await lasting(), [true]);
    });

    it('renames one, and takes nobody a name away', async () => {
      const scene = play();
      const [first, second] = [await scene.started({}), await scene.started({})];
      const { name } = await scene.state(first, 'running');
      await scene.engine.renameReplica(first, `${name}-other`);
      await scene.engine.renameReplica(second, name);
      assert.equal((await scene.state(second, 'running')).name, name);
      await rejectsWith('conflict', scene.engine.renameReplica(first, name));
      await rejectsWith('not_found', scene.engine.renameReplica(gone, `${name}-gone`));
    });
  });
}
