/** What every engine must do, run against the fake and against a real one. Asserts what the engine then says of itself. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildContract } from './engine-builds.ts';
import { execContract } from './engine-exec.ts';
import { outputContract } from './engine-output.ts';
import { mendingContract } from './engine-mending.ts';
import { pullContract } from './engine-pulls.ts';
import { replicaContract } from './engine-replicas.ts';
import { usageContract } from './engine-usage.ts';
import { volumeContract } from './engine-volumes.ts';
import { Scene, type EngineWorld } from './engine-scene.ts';

export function engineContract(name: string, open: () => Promise<EngineWorld>): void {
  describe(`engine contract: ${name}`, () => {
    let scene: Scene | undefined;
    const play = (): Scene => {
      if (!scene) throw new Error('the engine did not open');
      return scene;
    };

    before(async () => {
      scene = new Scene(await open());
      await scene.engine.ensureNetwork(scene.network());
    });
    after(() => scene?.close());

    it('says what it is', async () => {
      const { version, apiVersion, builder } = await play().engine.info();
      assert.notEqual(version, '');
      assert.match(apiVersion, /^\d+\.\d+$/);
      assert.ok(['buildkit', 'classic'].includes(builder));
    });

    buildContract(play);
    pullContract(play);
    replicaContract(play);
    mendingContract(play);
    volumeContract(play);
    usageContract(play);
    outputContract(play);
    execContract(play);
  });
}
