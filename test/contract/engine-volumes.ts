/** Volumes of every engine. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rejectsWith, type Scene } from './engine-scene.ts';

/** @param play the scene, once it is set */
export function volumeContract(play: () => Scene): void {
  describe('volumes', () => {
    it('makes a volume once, however often it is asked for, and lists it by its labels', async () => {
      const { engine, unique } = play();
      const volume = { name: `svc-${unique}-a`, labels: { 'svc.node': unique, 'svc.volume': 'a' } };
      await Promise.all([engine.ensureVolume(volume), engine.ensureVolume(volume)]);
      assert.deepEqual(await engine.listVolumes(volume.labels), [volume]);
      assert.deepEqual(await engine.listVolumes({ ...volume.labels, 'svc.volume': 'b' }), []);
      await engine.removeVolume(volume.name);
      await engine.removeVolume(volume.name);
      assert.deepEqual(await engine.listVolumes(volume.labels), []);
    });

    it('refuses a volume that somebody else has', async () => {
      const { engine, unique } = play();
      const volume = { name: `svc-${unique}-b`, labels: { 'svc.node': unique } };
      await engine.ensureVolume(volume);
      await rejectsWith('conflict', engine.ensureVolume({ ...volume, labels: { 'svc.node': 'another' } }));
      await engine.removeVolume(volume.name);
    });

    it('removes none that a container has, running or not', async () => {
      const scene = play();
      const volume = { name: `svc-${scene.unique}-c`, labels: { 'svc.node': scene.unique } };
      await scene.engine.ensureVolume(volume);
      const spec = scene.spec(await scene.world.image({}), {
        mounts: [{ volume: volume.name, target: '/data' }],
      });
      const id = await scene.engine.createReplica(spec);
      await rejectsWith('conflict', scene.engine.removeVolume(volume.name));
      await scene.engine.removeReplica(id);
      assert.equal((await scene.engine.listVolumes(volume.labels)).length, 1, 'it outlives its containers');
      await scene.engine.removeVolume(volume.name);
    });
  });
}
