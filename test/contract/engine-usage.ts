/** What every engine says of its disk. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Scene } from './engine-scene.ts';

/** @param play the scene, once it is set */
export function usageContract(play: () => Scene): void {
  describe('disk usage', () => {
    it('says what an image and a volume take', async () => {
      const { engine, unique, world } = play();
      const volume = { name: `svc-${unique}-usage`, labels: { 'svc.node': unique } };
      await engine.ensureVolume(volume);
      const image = await engine.findImage(await world.image({}));
      const { images, volumes } = await engine.diskUsage();
      assert.ok((images.get(image ?? '') ?? -1) >= 0);
      assert.ok((volumes.get(volume.name) ?? -1) >= 0);
      await engine.removeVolume(volume.name);
    });

    it('prunes nothing of the build cache that was used since', async () => {
      const { engine } = play();
      const century = 100 * 365 * 86_400_000;
      assert.equal(await engine.pruneBuildCache(century), 0);
    });
  });
}
